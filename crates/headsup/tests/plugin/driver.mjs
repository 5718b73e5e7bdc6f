// Plays what a program's bus said to the plugin: `node driver.mjs PLUGIN`, rows on standard input.
// With DRY set nothing is sent, and what would be is printed: the row's number and the report.
import http from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { readFileSync } from "node:fs"
import { EventEmitter } from "node:events"

const rows = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line))
let row = 0
if (process.env.DRY) {
  http.request = () => {
    const sent = new EventEmitter()
    sent.destroy = () => {}
    sent.end = (body) => {
      console.log(JSON.stringify({ row, report: JSON.parse(body) }))
      queueMicrotask(() => sent.emit("response", { statusCode: 202, resume: () => {} }))
    }
    return sent
  }
  syncBuiltinESMExports()
}
// The row `again` is its timer.
let again
if (process.env.DRY) {
  globalThis.setInterval = (act) => {
    again = act
    return {}
  }
}
const module = await import(process.argv[2])
const exported = Object.values(module)
if (exported.length !== 1 || typeof exported[0] !== "function") throw new Error("one function")
let plugin
for (const { call, data } of rows) {
  const given = process.cpuUsage()
  if (call === "init") plugin = await exported[0](data)
  else if (call === "chat.message") await plugin[call](data.input, data.output)
  else if (call === "event") await plugin.event({ event: data })
  else if (call === "again") again()
  else if (call === "dispose") await plugin.dispose()
  // Of the processor, which others may keep busy.
  const { user, system } = process.cpuUsage(given)
  const took = (user + system) / 1_000
  if (call !== "dispose" && took > 50) throw new Error(`${call} took ${took} ms`)
  await new Promise((done) => setImmediate(done))
  row += 1
}
if (process.env.STAY) await new Promise((done) => process.stdin.on("end", done))
