export const headsup = async ({ directory }) => {
  const silent = {}
  try {
    const { shared, mode } = started(words())
    const { tell, rest } = courier()
    const sessions = new Map()
    /// Sessions that are deleted, the latest: what is still said of them is told to nobody.
    const gone = new Set()
    let current

    const session = (id) => {
      let known = sessions.get(id)
      if (!known) {
        if (sessions.size >= SESSIONS) forget()
        // `open`: what waits for an answer, as it was told.
        known = { id, open: new Map(), tools: new Set() }
        sessions.set(id, known)
      }
      return known
    }
    /// The oldest goes, of those that rest and have started nothing that goes on; not the one that is told of.
    const forget = () => {
      const all = [...sessions.values()]
      const kept = new Set([current])
      const keep = (one) => one && !kept.has(one) && kept.add(one) && keep(sessions.get(one.parent))
      all.filter(runs).forEach(keep)
      sessions.delete((all.find((one) => !kept.has(one)) ?? all.find((one) => one !== current)).id)
    }
    const root = (known) => {
      let top = known
      for (let level = 0; top.parent && level < 20; level++) top = session(top.parent)
      return top
    }
    /// The session that is told of: in a terminal the one that a person has prompted last.
    const main = (known) => (shared ? root(known) : (current ?? root(known)))
    /// A refusal may end the turn, and what comes next tells: until then nothing is said of its session.
    const say = (known, name, more) => {
      const top = known && main(known)
      const comes = top?.comes
      if (comes) top.comes = undefined
      // Whoever is told of with its work is at work from its start.
      const works = name === "session.status" && top === known
      if (comes && !works) pass_on(top, "session.started", comes)
      pass_on(known, name, more)
      if (comes && works) pass_on(top, "session.started", { mode })
    }
    const pass_on = (known, name, more) => {
      if (known?.held) known.held.push([name, more])
      else put(known, name, more)
    }
    /// Whoever asks, calls or says something goes on, whatever was refused.
    const goes_on = (known) => {
      if (known?.held) spill(known)
      return known
    }
    const spill = (known, more) => {
      const held = known.held ?? []
      known.held = undefined
      held.forEach(([name, said], at) => put(known, name, at === 0 ? { ...said, ...more } : said))
    }
    const put = (known, name, more) => {
      const of = known && main(known)
      const report = {
        hook_event_name: name,
        session_id: of?.id,
        agent_id: known === of ? undefined : known.id,
        turn_id: of?.turn,
        is_shared: shared || undefined,
        cwd: of?.directory ?? directory,
        model: of?.model,
        title: of?.title,
        ...more,
      }
      tell(report, name === "message.part.updated")
    }
    const begin = (known, source) => {
      if (!shared && current !== known) summed_up(current)
      if (!shared) current = known
      if (shared && known.begun) return
      known.begun = true
      // A run without a terminal has its prompt with it: it is not ready for one, and is told of with the first that it does.
      if (mode === "headless") known.comes = { source, mode }
      else say(known, "session.started", { source, mode })
    }
    /// It is at work as soon as it has taken that, which is well before it says so.
    const set_out = (known) => {
      if (known !== current || !known.comes) return
      known.turn = known.ahead = `${Date.now()}`
      known.asked = true
      say(known, "session.status", { status: "busy", prompt: known.prompt })
      known.prompt = undefined
    }
    /// Whoever speaks and is not known yet was there before.
    const known = (id) => {
      const found = session(id)
      const top = root(found)
      if (shared ? !top.begun : !current) begin(top, "resume")
      return found
    }

    const odd = new Set()
    /// What is not understood changes nothing, and the hub counts it: each once. It may have been the end of whose it
    /// is, or of any: that is not told again until something of it is understood.
    const strange = (event, why) => {
      const name = short(event?.type) ?? "unknown"
      const id = event?.properties?.sessionID
      const is_any = typeof id !== "string" && why !== "its name"
      if (!/^session\.(created|updated)$/.test(name)) {
        for (const one of sessions.values()) if (is_any || one.id === id) one.doubted = true
      }
      if (odd.size >= SESSIONS || odd.has(name + why)) return
      odd.add(name + why)
      const of = sessions.get(id) ?? current
      say(of, name, { not_understood: why })
    }

    const learn = (info, created) => {
      const found = session(info.id)
      if (info.parentID) found.parent = info.parentID
      if (found.parent && found === current && !shared) give_back(found)
      found.directory = info.directory
      const [title, model] = [short(info.title), info.model?.id]
      const is_new = title !== found.title || model !== found.model
      found.title = title
      found.model = model
      if (info.parentID) return created && say(known(info.id), "session.created")
      if (created && (shared || !current?.busy)) begin(found, current ? "clear" : "startup")
      else if (is_new && main(known(info.id)) === found && !found.comes) say(found, "session.updated")
    }

    /// A helper was taken for a conversation of its own, before it was known whose it is.
    const give_back = (found) => {
      const top = root(found)
      if (top === found) return
      found.turn = found.over = undefined
      begin(top, "resume")
      if (runs(top) || helpers(top).length > 0) {
        // One that has been told to rest begins anew.
        if (!runs(top) || !top.turn) top.turn = `${Date.now()}`
        say(top, "session.status", { status: "busy" })
      }
      for (const one of helpers(top)) if (one.busy) say(one, "session.status", { status: "busy" })
      if (runs(top)) top.over = false
      else if (helpers(top).length > 0) {
        top.rest ??= { status: "stopped" }
        rests(top)
      }
    }

    const busy = (found, event, status) => {
      found.error = found.refused = found.rest = found.unclear = found.doubted = undefined
      spill(found)
      const retries = status.type !== "busy"
      found.waits = retries
      if (found.busy && !retries) return
      if (!found.busy && !found.parent && !shared && found !== current) {
        // Beside one that goes on its prompt alone tells of it: nothing rests in between.
        if (current && runs(current)) {
          summed_up(current)
          current = found
          found.begun = true
        } else begin(found, "resume")
      }
      const begins = !found.busy && main(found) === found
      if (begins) [found.turn, found.over] = [found.ahead ?? event.id ?? `${Date.now()}`, false]
      found.busy = true
      const prompt = found.prompt
      found.prompt = found.ahead = undefined
      say(found, "session.status", { status: retries ? "retry" : "busy", prompt, message: retries ? short(status.message) : undefined })
      if (begins) ask_again((one) => !below(one, found))
    }

    const runs = (one) => one.busy || one.open.size > 0
    /// The helpers of a session that go on.
    const helpers = (found) => [...sessions.values()].filter((one) => one !== found && runs(one) && below(one, found))

    const idle = (found) => {
      summed_up(found)
      const { error, refused } = found
      // Each try begins with a word of its own: who rests between two has been stopped, and so has who has begun no answer.
      const stopped = refused || error?.name === ABORTED || ((found.waits || (found.busy && found.unanswered)) && !error && !found.unclear)
      const unclear = found.unclear && !stopped
      // What a stopped turn leaves open nobody answers any more, here and below.
      if (stopped || unclear) for (const one of helpers(found)) idle(one)
      // What is asked behind the end of a turn, and with no other one begun, leaves that end as it was.
      const [was, before] = [runs(found) || found.asked, !found.busy && found.rest]
      found.busy = found.asked = false
      found.open.clear()
      found.tools.clear()
      found.doubted = undefined
      if (!was) return
      // What was typed meanwhile goes with it.
      found.error = found.refused = found.waits = found.unclear = found.message = found.prompt = undefined
      const status = unclear ? "unclear" : stopped ? "stopped" : error ? "failed" : "ended"
      spill(found, { status })
      found.rest = before || { status, error: error?.name, message: error?.message }
      const top = main(found)
      if (top === found) return rests(found)
      // How a helper ends is the turn's own matter.
      if (!is_apart(found)) say(found, "session.idle")
      behind(top, found)
    }
    /// The turn of who is told of ends, or goes on in its helpers alone.
    const rests = (top) => {
      const left = helpers(top)
      say(top, "session.idle", resting(top, left))
      ask_again((one) => !below(one, top))
    }
    const resting = (found, left) => {
      found.over = left.length === 0
      return found.over ? found.rest : { status: "background", background_tasks: left.map(({ id }) => ({ id })) }
    }
    /// Has a conversation had a turn of its own in the terminal, of which no end is told yet? It may go on beside another one.
    const is_apart = (found) => found.turn && !found.over && !found.parent
    /// That turn ends as its own, once its helpers have ended, too.
    const rests_apart = (found) => {
      if (!is_apart(found) || !found.rest || runs(found)) return
      const own = { session_id: found.id, agent_id: undefined, turn_id: found.turn }
      say(found, "session.idle", { ...own, ...resting(found, helpers(found)) })
    }
    /// Something else than who is told of has ended.
    const behind = (top, ended) => {
      if (below(ended, top)) {
        // A turn whose main agent rests already ends with the last of its helpers.
        if (top.rest && !runs(top) && helpers(top).length === 0) rests(top)
        return
      }
      // Another conversation in the same terminal: its prompt may have been all that was open.
      rests_apart(root(ended))
      if (![...sessions.values()].some(runs)) say(top, "session.idle", { turn_id: undefined })
    }
    /// In a terminal a turn that begins or ends takes back what other conversations ask there, and that waits
    /// all the same.
    const ask_again = (which) => {
      for (const one of shared ? [] : [...sessions.values()].filter(which)) {
        for (const ask of one.open.values()) put(one, ...ask)
      }
    }
    const below = (known, above) => {
      let top = known
      for (let level = 0; top && level < 20; level++) {
        if (top === above) return true
        top = top.parent && session(top.parent)
      }
      return false
    }

    const bury = (id) => {
      gone.add(id)
      if (gone.size > SESSIONS) gone.delete(gone.values().next().value)
    }
    /// Is it said of a session that is gone, or of one that such a session has started? That one goes now.
    const is_gone = (name, said) => {
      const info = /^session\./.test(name) ? said?.info : undefined
      const id = info?.id ?? said?.sessionID ?? said?.part?.sessionID
      if (id && gone.has(info?.parentID)) {
        const left = sessions.get(id)
        // Whose child it is was not known when that one went.
        if (left) deleted(left, "session.deleted")
        bury(id)
      } else if (name === "session.created") gone.delete(id)
      return gone.has(id)
    }
    /// Whatever it has started goes with it.
    const deleted = (found, name) => {
      const [top, ran] = [main(found), runs(found)]
      // The end of who is told of is that of its helpers.
      if (top !== found) for (const one of helpers(found)) idle(one)
      spill(found)
      say(found, name)
      for (const one of [...sessions.values()].filter((one) => below(one, found))) {
        if (current === one) current = undefined
        sessions.delete(one.id)
        bury(one.id)
      }
      if (!shared && !current) hand_over()
      else if (ran && top !== found) behind(top, found)
    }
    /// Who was told of in the terminal is gone: another conversation that goes on is told of from here on.
    const hand_over = () => {
      const next = [...sessions.values()].filter(runs).map(root).at(-1)
      if (!next) return
      // An answer that waits for what follows it was to a prompt that went with the other one.
      next.held = undefined
      begin(next, "resume")
      next.turn ??= `${Date.now()}`
      say(next, "session.status", { status: "busy" })
      // Whoever asks is at work.
      next.busy ||= next.open.size > 0
      if (!next.busy) {
        next.rest ??= { status: "stopped" }
        rests(next)
      }
      ask_again((one) => next.busy || below(one, next))
    }

    /// Nobody can say how what goes on ends.
    const unsure = (one) => {
      if (one?.busy) one.unclear = true
    }
    const errs = (found, event, error) => {
      const name = typeof error?.name === "string" ? error.name : ""
      if (found.busy || found.ahead) found.error = name ? { name, message: short(error.data?.message) } : undefined
      if (!name || (name !== ABORTED && STOPS.test(name))) {
        unsure(found)
        strange(event, name ? "its error.name" : "no error.name")
      }
      return name
    }
    /// Perhaps nothing else tells the end of a helper.
    const failed = (found, event, error) => errs(found, event, error) !== OVERFLOW && found.parent && idle(found)
    /// A conversation is summed up, in the middle of a turn or as one of its own. Whoever is told of that is told of its end, too,
    /// and before anything else takes its place.
    const sums_up = (found, info) => {
      if (info.mode !== "compaction" && info.summary !== true) return summed_up(found)
      if (found.sums || found !== main(found) || info.error || info.time?.completed) return
      found.sums = true
      say(found, "session.status", { status: "compacting" })
    }
    const summed_up = (found) => {
      if (!found?.sums) return
      found.sums = false
      say(found, "session.compacted")
    }
    /// A prompt, or an answer of the model, as it is written down. Of a turn that is stopped before the model was asked, its
    /// error stands there alone, or not even an answer; else it comes behind the end, and perhaps in the next turn.
    const written = (event, info) => {
      const found = sessions.get(info?.sessionID)
      if (found && info.role === "user" && !info.summary) found.unanswered = true
      if (!found?.busy || info.role !== "assistant") return
      sums_up(found, info)
      if (info.error && found.message === info.id && !found.error) errs(found, event, info.error)
      if (info.error) return
      found.unanswered = false
      if (!info.time?.completed) found.message = info.id
    }

    const asked = (found, name, asks, input) => {
      const tool = { tool_name: asks.permission ?? asks.action ?? name.split(".")[0], tool_use_id: asks.tool?.callID, tool_input: input }
      // A run without a terminal may reject it by itself.
      const ask = [name, { prompt_id: asks.id, mode: mode === "headless" ? mode : undefined, ...tool }]
      found.open.set(asks.id, ask)
      // Whoever asks is at work, also where that could not be read: its rest is told.
      found.asked = true
      if (found.doubted) found.doubted = found.rest = undefined
      say(goes_on(found), ...ask)
    }
    const answered = (found, event, name, answer) => {
      const id = answer.requestID ?? answer.permissionID
      const ends = may_end(found, id)
      found.open.delete(id)
      found.refused = name === "question.rejected" || answer.reply === "reject"
      const reply = Array.isArray(answer.answers) ? answer.answers.flat().join(", ") : answer.reply
      if (found.refused && ends) found.held ??= []
      say(found, name, { prompt_id: id, reply: short(reply) })
      found.doubted = undefined
      if (name !== "permission.replied" || REPLIES.includes(answer.reply)) return
      unsure(found)
      strange(event, "its reply")
    }

    const tool = (found, part) => {
      const status = part.state?.status
      const ends = status === "completed" || status === "error"
      if (ends ? !found.tools.delete(part.callID) : status !== "running" || found.tools.has(part.callID)) return
      // What a call still gives out after its turn was stopped begins nothing.
      if (!ends && !found.busy) return
      if (!ends) goes_on(found).tools.add(part.callID)
      if (ends && `${part.state.output}`.endsWith(STOPPED)) found.refused = true
      const input = part.state.input ?? {}
      const texts = Object.entries(input).filter(([, value]) => typeof value === "string")
      const tool_input = Object.fromEntries(texts.map(([name, value]) => [name, short(value)]))
      say(found, "message.part.updated", { status, tool_name: part.tool, tool_use_id: part.callID, tool_input })
    }

    const heard = (event) => {
      const said = event?.properties
      const name = event?.type?.replace(/^(permission|question)\.v2\./, "$1.")
      const of_session = /^(session\.(status|idle|turn\.)|permission\.|question\.)/.test(name)
      if (of_session && typeof said?.sessionID !== "string") return strange(event, "no sessionID")
      if (is_gone(name, said)) return
      switch (name) {
        case "session.created":
        case "session.updated":
          if (typeof said?.info?.id !== "string") return strange(event, "no info.id")
          return learn(said.info, name === "session.created")
        case "session.status":
          if (said.status?.type === "idle") return idle(known(said.sessionID))
          if (!["busy", "retry", "offline"].includes(said.status?.type)) return strange(event, "its status")
          return busy(known(said.sessionID), event, said.status)
        // Kilo's own, which come before and after the other two.
        case "session.turn.open":
          return busy(known(said.sessionID), event, { type: "busy" })
        case "session.turn.close": {
          const found = known(said.sessionID)
          if (said.reason === "interrupted") found.refused = true
          // Only what is said to be complete is, and an error is told before.
          else if (said.reason !== "completed" && !(said.reason === "error" && found.error)) unsure(found)
          if (!REASONS.includes(said.reason)) strange(event, "its reason")
          return idle(found)
        }
        case "session.drain.interrupted":
          if (sessions.get(said?.sessionID)?.busy) session(said.sessionID).refused = true
          return
        case "session.idle":
          return idle(known(said.sessionID))
        case "session.compacted":
          return summed_up(sessions.get(said?.sessionID))
        case "session.error":
          // Without a session it is the program's.
          if (!said?.sessionID) return
          if (typeof said.sessionID !== "string") {
            for (const one of sessions.values()) unsure(one)
            return strange(event, "no sessionID")
          }
          return failed(known(said.sessionID), event, said.error)
        case "session.deleted": {
          if (typeof said?.info?.id !== "string") return strange(event, "no info.id")
          const found = sessions.get(said.info.id)
          return found && deleted(found, name)
        }
        case "permission.asked":
          if (typeof said.id !== "string") return strange(event, "no id")
          return asked(known(said.sessionID), name, said, { ...texts(said.metadata), pattern: list(said.patterns ?? said.resources) })
        case "question.asked":
          if (typeof said.id !== "string" || !Array.isArray(said.questions)) return strange(event, "no id or no questions")
          return asked(known(said.sessionID), name, said, { questions: said.questions.map(question) })
        case "permission.replied":
        case "question.replied":
        case "question.rejected":
          if (typeof (said.requestID ?? said.permissionID) !== "string") {
            const is_granted = name === "question.replied" || said.reply === "once" || said.reply === "always"
            if (!is_granted) unsure(sessions.get(said.sessionID))
            return strange(event, "no requestID")
          }
          return answered(known(said.sessionID), event, name, said)
        case "message.updated":
          return written(event, said?.info)
        case "message.part.updated":
          if (said.part?.type === "tool") tool(known(said.part.sessionID), said.part)
          return
        case "message.part.delta":
          return goes_on(sessions.get(said?.sessionID))
        default:
          if (name && (!TELLING.test(name) || SILENT.test(name))) return
          for (const one of ENDS.test(name) ? sessions.values() : []) {
            if (typeof said?.sessionID !== "string" || one.id === said.sessionID) unsure(one)
          }
          strange(event, name ? "its name" : "no type")
      }
    }

    const again = setInterval(() => {
      for (const one of sessions.values()) {
        if (!one.busy || one.doubted) continue
        const top = main(one)
        // Of one that goes on in its helpers alone, or beside others, they tell.
        if (top === one || !top.busy || top.doubted) say(one, "session.status", { status: "busy" })
      }
    }, AGAIN_MS)
    again.unref?.()

    if (mode === "interactive" && !shared) say(undefined, "plugin.init", { mode })
    const safely = (act) => async (...given) => {
      try {
        act(...given)
      } catch {}
    }
    return {
      event: safely(({ event }) => {
        try {
          heard(event)
        } catch {
          strange(event, "its members")
        }
      }),
      "chat.message": safely(({ sessionID }, { parts }) => {
        const text = parts?.find((part) => part.type === "text" && !part.synthetic)?.text
        if (!sessionID) return
        session(sessionID).prompt = short(text)
        set_out(session(sessionID))
      }),
      dispose: async () => {
        try {
          clearInterval(again)
          // A run that has begun no conversation was never told of.
          const own = [current].filter((one) => one || mode === "interactive")
          const left = shared ? [...sessions.values()].filter((one) => one.begun) : own
          for (const one of left) {
            if (one) spill(one)
            say(one, "dispose")
          }
          await Promise.race([rest(), new Promise((done) => setTimeout(done, LEAVE_MS))])
        } catch {}
      },
    }
  } catch {
    return silent
  }
}
