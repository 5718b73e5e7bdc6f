// Stands in for a program whose plugins get an interface: `node host.mjs PLUGIN`. Rows come on standard
// input: `call` an event's handler, with `event` and `ctx`; `thread` and the `state` it is in; `waited`, so
// many milliseconds: what waits for 5 s or more waits for that alone.
import { createInterface } from "node:readline"

const LONG_MS = 5_000
const waiting = new Map()
const { setTimeout: start, clearTimeout: stop } = globalThis
globalThis.setTimeout = (act, wait, ...more) => {
  if (!(wait >= LONG_MS)) return start(act, wait, ...more)
  const timer = {}
  waiting.set(timer, { act, wait })
  return timer
}
globalThis.clearTimeout = (timer) => waiting.delete(timer) || stop(timer)
const elapse = (waited) => {
  for (const [timer, { act, wait }] of [...waiting]) if (wait <= waited && waiting.delete(timer)) act()
}

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
  const { call, event, ctx, thread, state, waited } = JSON.parse(line)
  if (thread) watched[thread](state)
  if (waited) elapse(waited)
  if (!call) continue
  const session = { getSessionId: () => ctx?.session }
  const answer = await handlers[call](event, { cwd: ctx?.cwd, model: { id: "m" }, sessionManager: session })
  if (answer !== undefined) throw new Error(`${call} answers`)
}
