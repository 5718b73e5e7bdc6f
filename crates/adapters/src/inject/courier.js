// Reports to headsup what this program does. Remove it with `headsup hooks uninstall`.
// It listens and changes nothing. It never throws and is never waited for, but for a moment at the
// end of the program. Without headsup it is silent.
import { spawn } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"
import { request } from "node:http"

const KIND = "@KIND@"
const LAUNCHER = "@LAUNCHER@"
const HOME = LAUNCHER.slice(0, -"/bin/headsup".length)
/// For the hub's answer; then the report goes the way of a hook, which writes it down.
const ANSWER_MS = 1_000
/// For that way, and for what is still to be told when the program leaves.
const HOOK_MS = 600
const LEAVE_MS = 500
/// Reports that wait. Of more, those of tools are left out, the oldest first; and of all others only
/// what nobody could wait for any more.
const WAITING = 256
const MOST = 4_096
/// Answers of a hub that may take the same report later.
const LATER = [408, 425, 429]
/// Characters of a text that is told, and of the input of a tool.
const TEXT = 2_000

const short = (text) => (typeof text === "string" ? text.slice(0, TEXT) : undefined)

/// What a hook would find above itself: the program's process and those that started it.
const context = (own) => {
  const parents = []
  let pid = own
  for (let level = 0; level < 8 && pid > 0; level++) {
    try {
      const line = readFileSync(`/proc/${pid}/stat`, "latin1")
      const [open, close] = [line.indexOf("("), line.lastIndexOf(")")]
      const fields = line.slice(close + 2).split(" ")
      const comm = line.slice(open + 1, close).replace(/[^ -~]/g, "?")
      parents.push({ pid, start: Number(fields[19]), comm })
      pid = Number(fields[1])
    } catch {
      break
    }
  }
  const env = {}
  for (const name of ["TMUX", "TMUX_PANE"]) {
    const value = process.env[name]
    if (value && /^[ -~]{1,256}$/.test(value)) env[name] = value
  }
  let pidns, host
  try {
    pidns = Number(/\d+/.exec(readlinkSync("/proc/self/ns/pid"))[0])
    // In another namespace than the machine's first it may be that of a container.
    if (pidns !== 0xeffffffc) host = readFileSync("/proc/sys/kernel/hostname", "latin1").trim()
  } catch {}
  return JSON.stringify({ env, parents, pidns, host })
}

/// Hands reports over one after the other, in their order. `own` is the program's process.
const courier = (own = process.pid) => {
  const url = process.env.HEADSUP_URL
  const socket = !url ? `${HOME}/headsup.sock` : url.startsWith("unix:") ? url.slice(5) : undefined
  const headers = { Host: "localhost", "Content-Type": "application/json", "X-Headsup-Context": context(own) }
  const agent = process.env.HEADSUP_AGENT_ID || process.env.PANOPTICON_AGENT_ID
  if (/^[A-Za-z0-9._-]{1,128}$/.test(agent ?? "")) headers["X-Headsup-Agent"] = agent
  const token = process.env.HEADSUP_AGENT_TOKEN
  if (/^[!-~]{1,4096}$/.test(token ?? "")) headers["X-Headsup-Agent-Token"] = token
  const path = `/api/v1/hooks/${KIND}`
  const waiting = []
  let told = 0
  let lost = 0
  let busy

  const post = (body) =>
    new Promise((done) => {
      const id = `${process.pid}-${Date.now().toString(36)}-${told++}-${Math.random().toString(36).slice(2)}`
      const length = Buffer.byteLength(body)
      const all = { ...headers, "Content-Length": length, "X-Headsup-Id": id, Connection: "close" }
      const sent = request({ socketPath: socket, path, method: "POST", headers: all, timeout: ANSWER_MS })
      const end = setTimeout(() => finish(false), ANSWER_MS)
      const finish = (well) => {
        clearTimeout(end)
        done(well)
        sent.destroy()
      }
      sent.on("response", (answer) => {
        answer.resume()
        finish(answer.statusCode < 500 && !LATER.includes(answer.statusCode))
      })
      sent.on("error", () => finish(false))
      sent.on("timeout", () => finish(false))
      sent.end(body)
    })

  /// As every hook does it: to the hub, or into the spool. Silent if the program is gone.
  const hook = (body) =>
    new Promise((done) => {
      const env = { ...process.env, HEADSUP_HOME: HOME }
      const child = spawn(LAUNCHER, ["hook", KIND], { env, stdio: ["pipe", "ignore", "ignore"] })
      const end = setTimeout(() => {
        // It has had its time: one that hangs would stay, and the next one beside it.
        child.kill("SIGKILL")
        done()
      }, HOOK_MS)
      for (const event of ["error", "close"]) {
        child.on(event, () => {
          clearTimeout(end)
          done()
        })
      }
      child.stdin.on("error", () => {})
      child.stdin.end(body)
    })

  const deliver = async () => {
    try {
      // Whoever has called is told first that this is under way.
      await undefined
      while (waiting.length > 0) {
        const { report } = waiting.shift()
        try {
          const body = JSON.stringify(lost > 0 ? { ...report, lost } : report)
          lost = 0
          // A path that fits no address is left to the hook, which knows a way.
          const near = socket && Buffer.byteLength(socket) <= 107
          if (!near || !(await post(body))) await hook(body)
        } catch {}
      }
    } finally {
      busy = undefined
    }
  }

  /// Makes room for one more. False where there is none.
  const fits = (few) => {
    if (waiting.length < WAITING) return true
    const oldest = waiting.findIndex((one) => one.few)
    if (oldest >= 0) waiting.splice(oldest, 1)
    const is_room = oldest >= 0 || (!few && waiting.length < MOST)
    if (oldest >= 0 || !is_room) lost += 1
    return is_room
  }

  return {
    /// Of `few`, those that are left out first.
    tell(report, few) {
      if (!fits(few)) return
      waiting.push({ report, few })
      busy ??= deliver()
    },
    rest: () => busy,
    /// What is still to be told has a moment.
    async leave() {
      let end
      const moment = new Promise((done) => {
        end = setTimeout(done, LEAVE_MS)
      })
      await Promise.race([busy, moment])
      clearTimeout(end)
    },
  }
}

