//! What is listened for in the bytes that go by.

use super::End;
use crate::hook::deliver::News;
use headsup_adapters::acp::{Said, Side, Traffic};
use headsup_adapters::stream::{self, Stream};
use std::fmt::Debug;

/// Somebody who understands what goes by.
pub(crate) trait Ear: Debug + Send {
    fn hear(&mut self, side: Side, bytes: &[u8], put: &mut dyn FnMut(News));

    fn hear_end(&mut self, side: Side, put: &mut dyn FnMut(News));

    /// What the agent writes to begins anew, and it may go on there.
    fn begin_anew(&mut self, put: &mut dyn FnMut(News)) {
        self.hear_end(Side::Agent, put);
    }

    /// Has something been heard of which only what follows says what it is? That comes at once, or never.
    fn is_unsettled(&self) -> bool;

    /// Nothing has followed.
    fn settle(&mut self, put: &mut dyn FnMut(News));

    /// How it stands, to be said again. `also_rest`: also where nothing is under way.
    fn stands(&self, also_rest: bool) -> Option<News>;

    /// So many news were lost.
    fn lost(&self, count: u64) -> Option<News>;

    /// How the agent has ended, where the hub could not be told.
    fn ended(&self, end: End) -> Option<News>;
}

impl Ear for Traffic {
    fn hear(&mut self, side: Side, bytes: &[u8], put: &mut dyn FnMut(News)) {
        self.feed(side, bytes, |said| put(news(&said)));
    }

    fn hear_end(&mut self, side: Side, put: &mut dyn FnMut(News)) {
        self.finish(side, |said| put(news(&said)));
    }

    fn is_unsettled(&self) -> bool {
        Traffic::is_unsettled(self)
    }

    fn settle(&mut self, put: &mut dyn FnMut(News)) {
        Traffic::settle(self, |said| put(news(&said)));
    }

    fn stands(&self, also_rest: bool) -> Option<News> {
        let said = Traffic::stands(self)?;
        let is_active = said.turn.is_some() || said.prompts > 0 || said.shells > 0;
        (also_rest || is_active && !self.is_only_expected()).then(|| news(&said))
    }

    fn lost(&self, count: u64) -> Option<News> {
        Some(news(&Said::lost(count)))
    }

    fn ended(&self, end: End) -> Option<News> {
        Some(news(&Said::exited(end.code, end.signal)))
    }
}

fn news(said: &Said) -> News {
    let is_transition = said.event.is_transition();
    News { event: said.event.word(), is_transition, body: said.body() }
}

/// A headless run says everything itself, but for the answers that its client gives it.
impl Ear for Stream {
    fn hear(&mut self, side: Side, bytes: &[u8], put: &mut dyn FnMut(News)) {
        match side {
            Side::Agent => self.feed(bytes, |body| put(shown(body))),
            Side::Client => self.feed_answers(bytes, |body| put(shown(body))),
        }
    }

    fn hear_end(&mut self, side: Side, put: &mut dyn FnMut(News)) {
        match side {
            Side::Agent => self.finish(|body| put(shown(body))),
            Side::Client => self.finish_answers(|body| put(shown(body))),
        }
    }

    fn begin_anew(&mut self, put: &mut dyn FnMut(News)) {
        Stream::begin_anew(self, |body| put(shown(body)));
    }

    fn is_unsettled(&self) -> bool {
        Stream::is_unsettled(self)
    }

    fn settle(&mut self, put: &mut dyn FnMut(News)) {
        Stream::settle(self, |body| put(shown(body)));
    }

    fn stands(&self, also_rest: bool) -> Option<News> {
        let rests = || self.rests().filter(|_| also_rest);
        Stream::stands(self).or_else(rests).map(shown)
    }

    fn lost(&self, count: u64) -> Option<News> {
        Some(News { is_transition: false, ..shown(stream::lost(count)) })
    }

    fn ended(&self, _: End) -> Option<News> {
        None
    }
}

fn shown(body: Vec<u8>) -> News {
    News { event: stream::EVENT, is_transition: true, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As where its client closes its input behind it.
    #[test]
    fn the_last_answer_of_a_client_needs_no_line_break() {
        let mut run = Stream::new("claude-code");
        let mut told = Vec::new();
        let asks = b"{\"type\":\"control_request\",\"request_id\":\"1\",\
            \"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\"}}\n";
        run.hear(Side::Agent, asks, &mut |news| told.push(news.body));
        let answer = b"{\"type\":\"control_response\",\"response\":{\"request_id\":\"1\"}}";
        run.hear(Side::Client, answer, &mut |news| told.push(news.body));
        run.hear_end(Side::Client, &mut |news| told.push(news.body));
        let levels = ["blocked", "working"].map(|level| format!("\"level\":\"{level}\""));
        let told: Vec<String> =
            told.into_iter().map(|body| String::from_utf8(body).unwrap()).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().zip(&levels).all(|(body, level)| body.contains(level)), "{told:?}");
    }

    #[test]
    fn what_was_lost_of_a_run_is_told() {
        let lost = Ear::lost(&Stream::new("codex"), 7).unwrap();
        assert_eq!((lost.event, lost.is_transition), (stream::EVENT, false));
        assert!(String::from_utf8(lost.body).unwrap().contains("\"lost\":7"));
    }

    /// What was lost may have been its end.
    #[test]
    fn how_a_run_rests_is_said_again_only_where_something_was_lost() {
        let ends = b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"status\":\"success\"}\n\
            {\"type\":\"turn.completed\"}\n";
        let mut ended = 0;
        for kind in headsup_adapters::kinds().iter().filter(|kind| stream::is_known(kind)) {
            let mut run = Stream::new(kind);
            assert!(Ear::stands(&run, true).is_none(), "nothing is known");
            let mut is_told = false;
            run.hear(Side::Agent, ends, &mut |news| is_told |= news.body.ends_with(b"}"));
            if run.rests().is_none() {
                continue;
            }
            ended += 1;
            assert!(is_told && Ear::stands(&run, false).is_none());
            let rest = Ear::stands(&run, true).unwrap();
            assert!(String::from_utf8(rest.body).unwrap().contains("\"level\":\"done\""));
        }
        assert!(ended > 2, "{ended}");
    }
}
