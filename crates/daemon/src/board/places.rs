//! Who sits where: each seat by its process, by the token of its launch, by the task that it works on, by the chat
//! that it is in, and by the name that people gave it. Whoever asks or is meant is looked for at each report, however many seats
//! there are.

use headsup_core::compat::boocode::CHAT_LABEL;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// A process as we see it: its pid here, and when it was started.
pub(crate) type Place = (u32, u64);

#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// One process may serve several conversations, each with a seat.
    processes: HashMap<Place, Vec<AgentId>>,
    tokens: HashMap<String, AgentId>,
    /// Those that have started others, each for every one of these.
    parents: HashMap<AgentId, Vec<AgentId>>,
    /// In small letters.
    tasks: HashMap<String, Vec<AgentId>>,
    /// Where people call a seat by another name than its id.
    names: HashMap<String, Vec<AgentId>>,
    chats: HashMap<String, Vec<AgentId>>,
}

impl Places {
    /// The seats that this very process sits in.
    pub(crate) fn of_process(&self, place: Place) -> &[AgentId] {
        self.processes.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether the process of any seat is known here.
    pub(crate) fn know_processes(&self) -> bool {
        !self.processes.is_empty()
    }

    /// Whether another seat is known to have been started by this one.
    pub(crate) fn is_parent(&self, id: &AgentId) -> bool {
        self.parents.contains_key(id)
    }

    /// The seat that was launched with the token of this digest.
    pub(crate) fn of_token(&self, digest: &str) -> Option<&AgentId> {
        self.tokens.get(digest)
    }

    /// The seats whose task is called this, apart from the case of letters.
    pub(crate) fn of_task(&self, name: &str) -> &[AgentId] {
        self.tasks.get(&name.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// The seats that are called this and have another id.
    pub(crate) fn of_name(&self, name: &str) -> &[AgentId] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// The seats with the label of this chat.
    pub(crate) fn of_chat(&self, chat_id: &str) -> &[AgentId] {
        self.chats.get(chat_id).map_or(&[], Vec::as_slice)
    }

    /// A seat is another one than before. `None`: it was not there, or is not any more.
    pub(super) fn changed(&mut self, id: &AgentId, was: Option<&Seat>, is: Option<&Seat>) {
        let both = (was.and_then(place), is.and_then(place));
        moves(&mut self.processes, both, |place| place, id);
        let both = (was.and_then(parent), is.and_then(parent));
        moves(&mut self.parents, both, AgentId::clone, id);
        let (from, to) = (was.and_then(token), is.and_then(token));
        if from != to {
            // Another seat may have been launched with the same one since.
            if let Some(from) = from.filter(|from| self.tokens.get(*from) == Some(id)) {
                self.tokens.remove(from);
            }
            if let Some(to) = to {
                self.tokens.insert(to.to_owned(), id.clone());
            }
        }
        let both = (was.and_then(task), is.and_then(task));
        moves(&mut self.tasks, both, str::to_ascii_lowercase, id);
        let both = (was.and_then(name), is.and_then(name));
        moves(&mut self.names, both, str::to_owned, id);
        let both = (was.and_then(chat), is.and_then(chat));
        moves(&mut self.chats, both, str::to_owned, id);
    }
}

/// It leaves one list and goes to another, if these are two. Only then their names are made.
fn moves<P: PartialEq, K: Eq + Hash>(
    sitting: &mut HashMap<K, Vec<AgentId>>,
    (from, to): (Option<P>, Option<P>),
    key: impl Fn(P) -> K,
    id: &AgentId,
) {
    if from == to {
        return;
    }
    if let Some(from) = from {
        leave(sitting, key(from), id);
    }
    if let Some(to) = to {
        sitting.entry(key(to)).or_default().push(id.clone());
    }
}

fn leave<K: Eq + Hash>(sitting: &mut HashMap<K, Vec<AgentId>>, from: K, id: &AgentId) {
    if let Entry::Occupied(mut sitting) = sitting.entry(from) {
        sitting.get_mut().retain(|other| other != id);
        if sitting.get().is_empty() {
            sitting.remove();
        }
    }
}

fn place(seat: &Seat) -> Option<Place> {
    let process = seat.process.id.as_ref()?;
    Some((process.pid_here()?, process.start_ticks))
}

fn parent(seat: &Seat) -> Option<&AgentId> {
    seat.about.parent.as_ref()
}

fn token(seat: &Seat) -> Option<&str> {
    seat.about.token.as_deref()
}

fn name(seat: &Seat) -> Option<&str> {
    Some(&*seat.name).filter(|name| *name != seat.id.as_str())
}

fn task(seat: &Seat) -> Option<&str> {
    seat.links.as_ref()?.task.as_deref()
}

fn chat(seat: &Seat) -> Option<&str> {
    seat.about.labels.get(CHAT_LABEL).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::id::ProcessId;
    use headsup_core::source::Source;
    use headsup_core::time::UnixMs;
    use std::num::NonZeroU32;

    fn seat(id: &str, process: Option<ProcessId>, token: Option<&str>) -> Seat {
        let mut seat = Seat::new(AgentId::new(id).unwrap(), "custom", Source::Report, UnixMs(0));
        seat.process.id = process;
        seat.about.token = token.map(Into::into);
        seat
    }

    /// What somebody finds who looks at every seat.
    fn searched(seats: &HashMap<AgentId, Seat>, wanted: Place) -> Vec<AgentId> {
        let sits = |seat: &&Seat| place(seat) == Some(wanted);
        let mut found: Vec<_> = seats.values().filter(sits).map(|seat| seat.id.clone()).collect();
        found.sort();
        found
    }

    #[test]
    fn what_is_found_is_what_a_look_at_every_seat_finds() {
        let here = |pid, start| Some(ProcessId::new(pid, start));
        let inside = |host_pid: u32| {
            let host_pid = NonZeroU32::new(host_pid);
            Some(ProcessId { pid_namespace: Some(7), host_pid, ..ProcessId::new(1, 5) })
        };
        // Each step: a seat, and the process that sits in it from then on; no word: it is gone.
        let steps = [
            ("a", Some(here(10, 5))),
            ("b", Some(here(10, 5))),
            ("c", Some(here(10, 6))),
            ("d", Some(inside(0))),
            ("d", Some(inside(10))),
            ("a", Some(here(11, 5))),
            ("a", Some(None)),
            ("a", Some(here(10, 5))),
            ("b", None),
            ("c", Some(here(10, 5))),
            ("a", None),
            ("c", None),
            ("d", None),
        ];
        let (mut seats, mut places) = (HashMap::new(), Places::default());
        for (step, (name, process)) in steps.into_iter().enumerate() {
            let id = AgentId::new(name).unwrap();
            let is = process.map(|process| seat(name, process, None));
            places.changed(&id, seats.get(&id), is.as_ref());
            match is {
                Some(seat) => seats.insert(id, seat),
                None => seats.remove(&id),
            };
            for wanted in [(10, 5), (10, 6), (11, 5), (1, 5)] {
                let mut found = places.of_process(wanted).to_vec();
                found.sort();
                assert_eq!(found, searched(&seats, wanted), "step {step}: {wanted:?}");
            }
        }
        assert!(places.processes.is_empty(), "nothing is kept of who has gone");
    }

    #[test]
    fn a_task_is_of_everybody_who_works_on_it_now() {
        let mut places = Places::default();
        let on = |id: &str, task: Option<&str>| {
            let mut seat = seat(id, None, None);
            seat.links.get_or_insert_default().task = task.map(str::to_owned);
            seat
        };
        let (first, second) = (on("a", Some("APP-1")), on("b", Some("app-1")));
        places.changed(&first.id, None, Some(&first));
        places.changed(&second.id, None, Some(&second));
        assert_eq!(places.of_task("App-1"), [first.id.clone(), second.id.clone()]);
        let moved = on("a", Some("kanbanger:APP-1"));
        places.changed(&first.id, Some(&first), Some(&moved));
        assert_eq!(places.of_task("APP-1"), std::slice::from_ref(&second.id));
        assert_eq!(places.of_task("kanbanger:app-1"), std::slice::from_ref(&moved.id));
        places.changed(&second.id, Some(&second), None);
        places.changed(&moved.id, Some(&moved), Some(&on("a", None)));
        assert!(places.tasks.is_empty(), "nothing is kept of who has gone");
    }

    #[test]
    fn a_name_is_found_as_long_as_a_seat_of_another_id_has_it() {
        let mut places = Places::default();
        let called = |name: &str| Seat { name: name.to_owned(), ..seat("a", None, None) };
        let (plain, front) = (called("a"), called("front"));
        places.changed(&plain.id, None, Some(&plain));
        assert!(places.of_name("a").is_empty());
        places.changed(&plain.id, Some(&plain), Some(&front));
        assert_eq!(places.of_name("front"), std::slice::from_ref(&plain.id));
        places.changed(&plain.id, Some(&front), None);
        assert!(places.names.is_empty(), "nothing is kept of who has gone");
    }

    #[test]
    fn a_chat_has_everybody_with_its_label() {
        let mut places = Places::default();
        let within = |id: &str, chat: &str| {
            let mut seat = seat(id, None, None);
            seat.about.labels.insert(CHAT_LABEL.to_owned(), chat.to_owned());
            seat
        };
        let (first, second) = (within("a", "c-1"), within("b", "c-1"));
        places.changed(&first.id, None, Some(&first));
        places.changed(&second.id, None, Some(&second));
        assert_eq!(places.of_chat("c-1"), [first.id.clone(), second.id.clone()]);
        let moved = within("a", "c-2");
        places.changed(&first.id, Some(&first), Some(&moved));
        assert_eq!(places.of_chat("c-1"), std::slice::from_ref(&second.id));
        assert_eq!(places.of_chat("c-2"), std::slice::from_ref(&moved.id));
        places.changed(&second.id, Some(&second), None);
        places.changed(&moved.id, Some(&moved), Some(&seat("a", None, None)));
        assert!(places.chats.is_empty(), "nothing is kept of who has gone");
    }

    #[test]
    fn whoever_has_started_others_is_known_as_long_as_they_are_there() {
        let mut places = Places::default();
        let parent = AgentId::new("b").unwrap();
        let mut child = seat("a", Some(ProcessId::new(10, 5)), None);
        child.about.parent = Some(parent.clone());
        places.changed(&child.id, None, Some(&child));
        assert!(places.is_parent(&parent) && places.know_processes());
        places.changed(&child.id, Some(&child), None);
        assert!(!places.is_parent(&parent) && !places.know_processes());
        assert!(places.parents.is_empty(), "nothing is kept of who has gone");
    }

    #[test]
    fn a_token_is_its_latest_holders() {
        let (a, b) = (AgentId::new("a").unwrap(), AgentId::new("b").unwrap());
        let mut places = Places::default();
        let first = seat("a", None, Some("x"));
        places.changed(&a, None, Some(&first));
        assert_eq!(places.of_token("x"), Some(&a));
        let second = seat("a", None, Some("y"));
        places.changed(&a, Some(&first), Some(&second));
        assert_eq!((places.of_token("x"), places.of_token("y")), (None, Some(&a)));
        let other = seat("b", None, Some("y"));
        places.changed(&b, None, Some(&other));
        places.changed(&a, Some(&second), None);
        assert_eq!(places.of_token("y"), Some(&b));
        places.changed(&b, Some(&other), None);
        assert!(places.tokens.is_empty());
    }
}
