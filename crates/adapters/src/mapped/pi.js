/// It tries again after a pause that is shorter than this. Milliseconds.
const RETRY_MS = 10_000
/// So long a compaction may take, behind which it tries again. Milliseconds.
const COMPACT_MS = 120_000
/// What its reasons for a session's start are called elsewhere; one that is not here, or none, is told as it is.
const SOURCES = { new: "clear", resume: "resume", reload: "resume", fork: "fork" }

export default function (pi) {
  try {
    const { tell, leave } = courier()
    let turn
    let prompt
    /// A failure that may be tried again: its timer, and how to tell it.
    let failed
    let turns = 0
    const report = (ctx, name, more) => ({
      hook_event_name: name,
      session_id: ctx.sessionManager?.getSessionId?.(),
      turn_id: turn,
      cwd: ctx.cwd,
      model: ctx.model?.id,
      ...more,
    })
    const say = (ctx, name, more) => tell(report(ctx, name, more))
    const say_of_tool = (ctx, name, more) => tell(report(ctx, name, more), true)
    // Whoever returns something changes what happens.
    const on = (name, act) =>
      pi.on(name, async (event, ctx) => {
        try {
          await act(event ?? {}, ctx ?? {})
        } catch {}
      })
    const calm = () => {
      clearTimeout(failed?.timer)
      failed = undefined
    }
    const hold = (tell, wait) => {
      clearTimeout(failed?.timer)
      failed = { tell, timer: setTimeout(tell, wait) }
      failed.timer.unref?.()
    }
    const put_off = (wait) => failed && hold(failed.tell, wait)
    on("session_start", ({ reason }, ctx) => say(ctx, "session_start", { source: SOURCES[reason] ?? reason }))
    on("before_agent_start", (event) => {
      prompt = short(event.prompt)
    })
    on("agent_start", (_event, ctx) => {
      // One that was tried again is the same turn.
      if (failed === undefined) turn = `${process.pid}-${++turns}`
      calm()
      say(ctx, "agent_start", { prompt })
      prompt = undefined
    })
    on("tool_execution_start", (event, ctx) => {
      const texts = Object.entries(event.args ?? {}).filter(([, value]) => typeof value === "string")
      const tool_input = Object.fromEntries(texts.map(([name, value]) => [name, short(value)]))
      say_of_tool(ctx, "tool_execution_start", { tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input })
    })
    on("tool_execution_end", (event, ctx) =>
      say_of_tool(ctx, "tool_execution_end", { tool_name: event.toolName, tool_use_id: event.toolCallId }),
    )
    on("agent_end", (event, ctx) => {
      const last = [...(event.messages ?? [])].reverse().find((message) => message.role === "assistant")
      // Nobody knows how it ended if that is not said: it need not have come to its end.
      const how = { status: last?.stopReason, message: short(last?.errorMessage) }
      if (how.status !== "error") return say(ctx, "agent_end", how)
      const tell = () => {
        calm()
        say(ctx, "agent_end", how)
      }
      hold(tell, RETRY_MS)
    })
    // A request that was too long is tried again behind it; of one that fails nothing is told.
    on("session_before_compact", ({ signal }) => {
      put_off(COMPACT_MS)
      signal?.addEventListener("abort", () => put_off(RETRY_MS))
    })
    on("session_compact", () => put_off(RETRY_MS))
    on("session_shutdown", async ({ reason }, ctx) => {
      failed?.tell()
      say(ctx, "session_shutdown", { reason })
      await leave()
    })
  } catch {}
}
