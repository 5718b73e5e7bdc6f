/// Threads that are remembered.
const THREADS = 500

/// Where the program works: it has this process work where its plugins are (measured).
const folder = () => {
  try {
    return readlinkSync(`/proc/${process.ppid}/cwd`)
  } catch {}
}

/// A process of its own, which the program has started, and which may serve many threads.
export default function (amp) {
  try {
    const { tell, leave } = courier(process.ppid)
    const cwd = folder()
    const known = new Map()
    const say = (id, name, more) => {
      const told = { hook_event_name: name, session_id: id, is_shared: true, cwd }
      tell({ ...told, turn_id: known.get(id)?.turn, ...more })
    }
    /// Its state is told as it is, now and whenever it is another one.
    const meet = (id) => {
      if (known.has(id)) return
      const thread = {}
      known.set(id, thread)
      if (known.size > THREADS) forget(known.keys().next().value)
      say(id, "session.start")
      const watch = amp.threads.get(id).state
      thread.watch = watch.subscribe((state) => {
        if (thread.state === state) return
        thread.state = state
        say(id, "thread.state", { state })
      })
    }
    const forget = (id) => {
      known.get(id)?.watch?.unsubscribe?.()
      known.delete(id)
    }
    const odd = new Set()
    /// What does not say of which thread it is changes nothing, and the hub counts it: each once.
    const strange = (name) => {
      if (odd.has(name)) return
      odd.add(name)
      say(undefined, name)
    }
    // Whoever returns something answers a request.
    const on = (name, act) =>
      amp.on(name, async (event) => {
        try {
          const id = event?.thread?.id
          if (!id) return strange(name)
          meet(id)
          act(event, id)
        } catch {}
      })
    on("session.start", () => {})
    on("agent.start", (event, id) => {
      known.get(id).turn = event.id
      say(id, "agent.start", { prompt: short(event.message) })
    })
    on("agent.end", (event, id) => {
      say(id, "agent.end", { turn_id: event.id, status: event.status })
      known.get(id).turn = undefined
    })
    amp.onDispose(async () => {
      try {
        for (const id of known.keys()) say(id, "dispose")
        await leave()
      } catch {}
    })
  } catch {}
}
