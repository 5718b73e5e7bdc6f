// A stand-in for a program with a plugin: `node plugin.mjs PLUGIN …`, what it calls on standard input.
import { createInterface } from "node:readline"

const module = await import(process.argv[2])
const [start] = Object.values(module)
let plugin
for await (const line of createInterface({ input: process.stdin })) {
  const { call, data } = JSON.parse(line)
  // What a program calls of a plugin that has it not is nothing.
  if (call === "init" && plugin) continue
  if (call === "init") plugin = await start(data)
  else if (call === "chat.message") await plugin?.[call]?.(data.input, data.output)
  else if (call === "event") await plugin?.event?.({ event: data })
  else if (call === "dispose") await plugin?.dispose?.()
}
process.exit(0)
