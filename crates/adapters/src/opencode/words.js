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
/// (OpenCode 1.18.33, measured; `providers` is another name of `auth`).
const COMMANDS = ["run", "serve", "web", "acp"]
const ASIDES = ["agent", "auth", "debug", "export", "mcp", "models", "providers", "session", "stats"]

/// The words of the command line: `serve` has many sessions side by side, `run` has no terminal. That
/// word comes first, before what is said to the model. With `-i` `run` has one.
const words = () => {
  try {
    return readFileSync("/proc/self/cmdline", "utf8").split("\0").slice(1)
  } catch {
    return process.argv.slice(1)
  }
}

