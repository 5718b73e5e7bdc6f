//! Writer, bus and shutdown against a model, over sequences that chance makes: reports, acts,
//! listeners that come, lag and come back, stops with reports under way, kills.
//!
//! The model is small: what was acknowledged is in the log, once and in its agent's order; cursors
//! go up by one; every listener hears every event once, or is told that it lags; a stop ends.

use super::bench::{Bench, Client, Stream};
use crate::limits::Limits;
use proptest::prelude::*;
use proptest::test_runner::Config;

const AGENTS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    /// So many reports of one agent, one after the other.
    Report {
        agent: usize,
        count: usize,
    },
    /// The last report again, under its id.
    Again {
        agent: usize,
    },
    /// A person has looked.
    Seen {
        agent: usize,
    },
    Listen,
    /// One of the listeners reads so many messages.
    Read {
        who: usize,
        count: usize,
    },
    /// One of them goes away; it will come back where it was.
    Leave {
        who: usize,
    },
    /// A stop in good order, with a report of each agent under way.
    Stop,
    /// kill -9.
    Kill,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..AGENTS, 1..30_usize).prop_map(|(agent, count)| Step::Report { agent, count }),
        2 => (0..AGENTS).prop_map(|agent| Step::Again { agent }),
        2 => (0..AGENTS).prop_map(|agent| Step::Seen { agent }),
        3 => Just(Step::Listen),
        6 => (0..8_usize, 1..40_usize).prop_map(|(who, count)| Step::Read { who, count }),
        2 => (0..8_usize).prop_map(|who| Step::Leave { who }),
        1 => Just(Step::Stop),
        1 => Just(Step::Kill),
    ];
    prop::collection::vec(step, 10..30)
}

#[derive(Default)]
struct Listener {
    stream: Option<Stream>,
    heard: Vec<u64>,
}

impl Listener {
    fn last(&self) -> u64 {
        self.heard.last().copied().unwrap_or(0)
    }

    /// Reads up to `most` messages, no further than `head`. Whoever lags or was cut off comes
    /// back where it was.
    async fn read(&mut self, client: &Client, most: usize, head: u64) {
        for _ in 0..most {
            if self.last() >= head {
                return;
            }
            let last = self.last();
            let stream = match &mut self.stream {
                Some(stream) => stream,
                none => none.insert(client.events(&format!("?since={last}")).await),
            };
            match stream.next().await {
                Some(message) if message.event == "lagged" => {
                    let from = message.data["from"].as_str().unwrap().parse::<u64>().unwrap();
                    assert_eq!(from, self.last() + 1, "the gap is the one that is told");
                    self.stream = None;
                }
                Some(message) => {
                    let cursor = message.id.expect("an event, or a word about the stream");
                    assert_eq!(cursor, self.last() + 1, "{}", message.event);
                    self.heard.push(cursor);
                }
                None => self.stream = None,
            }
        }
    }
}

struct Model {
    bench: Bench,
    listeners: Vec<Listener>,
    /// Of each agent: how many reports it has made, and which were acknowledged.
    made: [usize; AGENTS],
    acknowledged: [Vec<String>; AGENTS],
}

/// The body of an agent's report: each is a change.
fn body(agent: usize, number: usize) -> (String, String) {
    let id = format!("{agent}-{number}");
    let turn = match number % 2 {
        0 => "\"turn\":\"working\"",
        _ => "\"turn\":\"idle\",\"outcome\":\"completed\"",
    };
    (format!("{{{turn},\"detail\":\"{id}\"}}"), id)
}

async fn send(client: &Client, agent: usize, number: usize) -> u16 {
    let (body, id) = body(agent, number);
    let path = format!("/api/v1/agents/agent-{agent}/reports");
    client.send("POST", &path, &[("x-headsup-id", id.as_str())], body).await.status.as_u16()
}

impl Model {
    async fn new() -> Self {
        let bench = Bench::with(Limits { bus: 16, ..Limits::default() }).await;
        Self { bench, listeners: Vec::new(), made: [0; AGENTS], acknowledged: Default::default() }
    }

    async fn take(&mut self, step: Step) {
        let client = self.bench.client();
        match step {
            Step::Report { agent, count } => {
                for _ in 0..count {
                    let number = self.made[agent];
                    self.made[agent] += 1;
                    assert_eq!(send(&client, agent, number).await, 202);
                    self.acknowledged[agent].push(body(agent, number).1);
                }
            }
            Step::Again { agent } => {
                if let Some(last) = self.made[agent].checked_sub(1) {
                    let head = client.head().await;
                    assert_eq!(send(&client, agent, last).await, 200);
                    assert_eq!(client.head().await, head);
                }
            }
            Step::Seen { agent } => {
                let path = format!("/api/v1/agents/agent-{agent}/seen");
                let status = client.send("POST", &path, &[], "").await.status;
                let there = self.made[agent] > 0;
                assert_eq!(status.as_u16(), if there { 200 } else { 404 });
            }
            Step::Listen => {
                let stream = Some(client.events("?since=0").await);
                self.listeners.push(Listener { stream, heard: Vec::new() });
            }
            Step::Read { who, count } => {
                let (head, among) = (client.head().await, self.listeners.len().max(1));
                if let Some(listener) = self.listeners.get_mut(who % among) {
                    listener.read(&client, count, head).await;
                }
            }
            Step::Leave { who } => {
                let among = self.listeners.len().max(1);
                if let Some(listener) = self.listeners.get_mut(who % among) {
                    listener.stream = None;
                }
            }
            Step::Stop => self.stop().await,
            Step::Kill => {
                let next = self.bench.killed_now().await;
                self.bench.stop().await;
                self.bench = next;
                self.cut_off();
            }
        }
    }

    /// Reports that are under way when the hub stops are acknowledged or not: both may be. One
    /// that is not is sent again, as a careful client does.
    async fn stop(&mut self) {
        let client = self.bench.client();
        let under_way: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let (client, number) = (client.clone(), self.made[agent]);
                self.made[agent] += 1;
                tokio::spawn(async move { send(&client, agent, number).await })
            })
            .collect();
        self.bench.restart().await;
        self.cut_off();
        for (agent, report) in under_way.into_iter().enumerate() {
            // A connection that was refused ends its task.
            let acknowledged = report.await.is_ok_and(|status| status == 202);
            let number = self.made[agent] - 1;
            if !acknowledged {
                let status = send(&self.bench.client(), agent, number).await;
                assert!([200, 202].contains(&status), "{status}");
            }
            self.acknowledged[agent].push(body(agent, number).1);
        }
    }

    fn cut_off(&mut self) {
        for listener in &mut self.listeners {
            listener.stream = None;
        }
    }

    /// What must hold in the end.
    async fn holds(mut self) {
        let client = self.bench.client();
        let (head, log) = (client.head().await, client.log().await);
        let cursors =
            log.iter().map(|event| event["cursor"].as_str().unwrap().parse::<u64>().unwrap());
        assert!(cursors.eq(1..=head));
        for (agent, acknowledged) in self.acknowledged.iter().enumerate() {
            let id = format!("agent-{agent}");
            let told: Vec<&str> = log
                .iter()
                .filter(|event| event["agent_id"] == *id)
                .filter(|event| event["type"] == "agent.status_changed")
                .filter_map(|event| event["turn"]["detail"].as_str())
                .collect();
            // Looking at an outcome changes the headline as well, with the detail it had.
            let mut once = told.clone();
            once.dedup();
            assert_eq!(once, *acknowledged, "{id}");
        }
        for listener in &mut self.listeners {
            listener.read(&client, usize::MAX, head).await;
            assert!(listener.heard.iter().copied().eq(1..=head));
        }
        self.bench.stop().await;
    }
}

proptest! {
    #![proptest_config(Config { cases: 12, failure_persistence: None, ..Config::default() })]

    #[test]
    fn whatever_comes_in_whichever_order_the_log_and_its_listeners_are_right(steps in steps()) {
        run(steps);
    }
}

fn run(steps: Vec<Step>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(async {
        let mut model = Model::new().await;
        for step in steps {
            model.take(step).await;
        }
        model.holds().await;
    });
}
