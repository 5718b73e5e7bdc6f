// A flood of tools while nobody answers: `node flood.mjs PLUGIN` prints what is told in the end.
import child_process from "node:child_process"
import { EventEmitter } from "node:events"
import http from "node:http"
import { syncBuiltinESMExports } from "node:module"

const bodies = []
const handlers = {}
let open
const answered = new Promise((done) => {
  open = done
})
let hooks = 0
http.request = () => {
  const sent = new EventEmitter()
  sent.destroy = () => {}
  sent.end = (body) => {
    const first = bodies.length === 0
    bodies.push(JSON.parse(body))
    const answer = (statusCode) => sent.emit("response", { statusCode, resume: () => {} })
    // The first one has no answer for long, and then is put off.
    if (first) answered.then(() => answer(429))
    else queueMicrotask(() => answer(202))
  }
  return sent
}
child_process.spawn = () => {
  const child = new EventEmitter()
  child.stdin = new EventEmitter()
  child.stdin.end = () => {
    hooks += 1
    queueMicrotask(() => child.emit("close"))
  }
  return child
}
syncBuiltinESMExports()
const { default: plugin } = await import(process.argv[2])
plugin({
  on: (name, act) => {
    handlers[name] = act
  },
})
const ctx = { cwd: "/tmp", sessionManager: { getSessionId: () => "s-1" } }
const does = (name, event) => handlers[name](event, ctx)
await does("session_start", { reason: "startup" })
for (let turn = 0; turn < 2; turn++) {
  await does("agent_start", {})
  for (let call = 0; call < 225; call++) {
    const tool = { toolCallId: `${turn}-${call}`, toolName: "bash", args: { command: "ls" } }
    await does("tool_execution_start", tool)
    await does("tool_execution_end", tool)
  }
  await does("agent_end", { messages: [{ role: "assistant", stopReason: "stop" }] })
}
open()
await does("session_shutdown", { reason: "quit" })
const is_tool = (body) => body.hook_event_name.startsWith("tool_")
console.log(
  JSON.stringify({
    turns: bodies.filter((body) => !is_tool(body)).map((body) => body.hook_event_name),
    tools: bodies.filter(is_tool).length,
    lost: bodies.reduce((sum, body) => sum + (body.lost ?? 0), 0),
    retried: hooks === 1,
  }),
)
