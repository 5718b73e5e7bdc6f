// Stands in for a program whose plugins get an interface: `node host.mjs PLUGIN`. Rows come on standard
// input: `call` an event's handler, with `event` and `ctx`; `thread` and the `state` it is in.
import { createInterface } from "node:readline"

const module = await import(process.argv[2])
const exported = Object.values(module)
if (exported.length !== 1 || typeof module.default !== "function") throw new Error("one function")
const handlers = {}
const watched = {}
const subscribe = (id) => (next) => {
  watched[id] = next
  return { unsubscribe: () => delete watched[id] }
}
await module.default({
  on: (name, handler) => (handlers[name] = handler),
  onDispose: (handler) => (handlers.dispose = handler),
  threads: { get: (id) => ({ state: { subscribe: subscribe(id) } }) },
})
for await (const line of createInterface({ input: process.stdin })) {
  const { call, event, ctx, thread, state } = JSON.parse(line)
  if (thread) watched[thread](state)
  if (!call) continue
  const session = { getSessionId: () => ctx?.session }
  const answer = await handlers[call](event, { cwd: ctx?.cwd, model: { id: "m" }, sessionManager: session })
  if (answer !== undefined) throw new Error(`${call} answers`)
}
