/// A turn that goes on is told again after this time. Milliseconds.
const AGAIN_MS = 15_000
/// The error of a turn that a person has stopped.
const ABORTED = "MessageAbortedError"
/// What the name of another such error may say, and the name of an event that tells how a turn ends.
const STOPS = /abort|cancel|interrupt/i
const ENDS = /error|fail|abort|cancel|interrupt/i
/// How the output of a command ends that a person runs and has stopped: it is complete all the same.
const STOPPED = "<metadata>\nUser aborted the command\n</metadata>"
/// The error after which a turn goes on.
const OVERFLOW = "ContextOverflowError"
/// The answers to a request, and why a turn of Kilo's is closed.
const REPLIES = ["always", "once", "reject"]
const REASONS = ["completed", "error", "interrupted"]
/// Sessions that are remembered.
const SESSIONS = 500
/// Names by which a status may be told, and those of them that tell none. Without a network Kilo waits, and tries again by itself.
const TELLING = /^(session|permission|question)\.|\.(asked|requested)$/
const SILENT = /^session\.((next|network)\..*|compacted|diff|drained)$|\.\d+$/

/// Commands that work or serve, and such as list, set or write something out: with its plugins, but without an agent
/// (OpenCode 1.18.33, measured; `providers` is another name of `auth`, and `pr` starts a program of its own).
const COMMANDS = ["run", "serve", "web", "acp"]
const ASIDES = ["agent", "auth", "debug", "export", "import", "mcp", "models", "pr", "providers", "session", "stats"]
/// Options whose value may be any word, also one of these; and one that has no value.
const NAMING = ["--agent", "--hostname", "--model", "-m", "--prompt", "--session", "-s"]
const SWITCH = "--print-logs"

/// The words of the command line: `serve` has many sessions side by side, `run` has no terminal. That
/// word comes first, before what is said to the model. With `-i` `run` has one.
const words = () => {
  try {
    return readFileSync("/proc/self/cmdline", "utf8").split("\0").slice(1)
  } catch {
    return process.argv.slice(1)
  }
}
const started = (typed) => {
  // What an option is set to may be any word.
  const is_set = (before) => before?.startsWith("-") && !before.includes("=") && before !== SWITCH
  const is_own = (word, before) => ASIDES.includes(word) && !is_set(before)
  const is_command = (word, before) => COMMANDS.includes(word) && !NAMING.includes(before)
  const command = typed.find((word, at) => is_command(word, typed[at - 1]) || is_own(word, typed[at - 1]))
  const is_aside = ASIDES.includes(command)
  const has_box = !is_aside && (command !== "run" || typed.includes("-i") || typed.includes("--interactive"))
  return { shared: command !== undefined && command !== "run" && !is_aside, mode: has_box ? "interactive" : "headless" }
}

/// May the turn of this one end with the refusal of what it asks? What a turn that was stopped has left open may be answered
/// in the next one, and a call that asks nothing goes on all the same. A request need not name its call, as the one whether a
/// model that repeats itself may go on.
const may_end = (found, id) => {
  const asks = [...found.open.values()].map(([, ask]) => ask.tool_use_id)
  const unnamed = asks.filter((call) => call === undefined)
  const others = [...found.tools].filter((call) => !asks.includes(call))
  return found.busy && found.open.has(id) && others.length <= unnamed.length
}

const list = (from) => short(Array.isArray(from) ? from.join(" ") : from)
const texts = (from) => ({ command: short(from?.command), file_path: short(from?.filepath), url: short(from?.url) })
const question = ({ question, header, options, multiple }) => ({ question, header, options, multiSelect: multiple })
