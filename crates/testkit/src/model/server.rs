//! The HTTP side: requests in, scripted answers out, a mark at every milestone.

use super::holds::Holds;
use super::marks::{Marks, What};
use super::protocol::Protocol;
use super::reply::{Head, Reply};
use super::request::Request;
use super::script::Script;
use super::stream::Step;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Method, Response, StatusCode, header};
use serde_json::{Value, json};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// What all requests share.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) script: Arc<Mutex<Script>>,
    pub(super) marks: Marks,
    pub(super) holds: Holds,
    pub(super) requests: Arc<Mutex<Vec<Request>>>,
}

/// More than any agent sends.
const LARGEST: usize = 64 * 1024 * 1024;

pub(super) async fn answer(state: State, request: axum::extract::Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, LARGEST).await.unwrap_or_default();
    let length = body.len();
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let (method, path) = (parts.method.as_str(), parts.uri.to_string());
    let mut request = Request::new(method, &path, headers.collect(), body);
    request.helps =
        state.script.lock().unwrap_or_else(PoisonError::into_inner).is_helpers(&request);
    {
        let mut requests = state.requests.lock().unwrap_or_else(PoisonError::into_inner);
        request.number = requests.len();
        requests.push(request.clone());
        // Under the lock: whoever sees the request finds its mark.
        state.marks.put(request.number, What::Received);
    }
    match (&parts.method, request.route(), request.protocol) {
        (&Method::POST, _, Some(protocol)) if request.body.is_object() => {
            say(state, request, protocol).await
        }
        // Four bytes a token is as good as any.
        (&Method::POST, "/v1/messages/count_tokens", _) => {
            whole(&state, &request, 200, &json!({"input_tokens": length / 4}), None)
        }
        (&Method::POST, route, _) if route.ends_with(":countTokens") => {
            whole(&state, &request, 200, &json!({"totalTokens": length / 4}), None)
        }
        (&Method::GET, "/v1/models", _) => whole(&state, &request, 200, &models(), None),
        // Claude Code 2.1.330 asks `HEAD /api/hello` at its start to see whether anybody is there.
        (&Method::HEAD, ..) => whole(&state, &request, 200, &json!({}), None),
        _ => {
            let what = format!("There is no {} {}.", request.method, request.route());
            let failure = Protocol::Messages.failure(404, None, &what);
            whole(&state, &request, 404, &failure, None)
        }
    }
}

fn models() -> Value {
    let model = |id: &str| json!({"type": "model", "id": id, "display_name": id, "created_at": "2026-01-01T00:00:00Z"});
    json!({"data": [model("claude-sonnet-4-5")], "has_more": false})
}

async fn say(state: State, request: Request, protocol: Protocol) -> Response<Body> {
    let reply = state.script.lock().unwrap_or_else(PoisonError::into_inner).reply(&request);
    let leaving = Leaving::new(&state, &request);
    for name in &reply.before {
        hold(&state, request.number, name).await;
    }
    let streams = request.streams();
    let failed = if streams || reply.head != Head::Message {
        None
    } else {
        pass_time(&state, &request, &reply, protocol).await
    };
    leaving.forget();
    if let Some(kind) = failed {
        let failure = protocol.failure(500, Some(&kind), "The script says so.");
        return whole(&state, &request, 500, &failure, None);
    }
    if let Head::Failure { status, message, retry_after } = reply.head {
        let failure = protocol.failure(status, None, &message);
        return whole(&state, &request, status, &failure, retry_after);
    }
    if !streams {
        let document = protocol.document(&reply, &request);
        return whole(&state, &request, 200, &document, None);
    }
    streamed(state, request, reply, protocol)
}

/// What takes time in a stream takes time before a whole answer; what fails there fails here.
async fn pass_time(
    state: &State,
    request: &Request,
    reply: &Reply,
    protocol: Protocol,
) -> Option<String> {
    for step in protocol.steps(reply, request) {
        match step {
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Hold(name) => hold(state, request.number, &name).await,
            Step::Fail { kind, .. } => return Some(kind),
            Step::Cut => return Some("api_error".to_owned()),
            Step::Send(_) | Step::Finish(_) => {}
        }
    }
    None
}

async fn hold(state: &State, number: usize, name: &str) {
    state.marks.put(number, What::Stalled(name.to_owned()));
    state.holds.pass(name).await;
    state.marks.put(number, What::Released(name.to_owned()));
}

/// An answer that is not streamed.
fn whole(
    state: &State,
    request: &Request,
    status: u16,
    body: &Value,
    retry_after: Option<u64>,
) -> Response<Body> {
    state.marks.put(request.number, What::FirstByte(status));
    if status < 400 {
        state.marks.put(request.number, What::Finished);
    }
    let mut answer = Response::builder()
        .status(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        .header(header::CONTENT_TYPE, "application/json")
        .header("request-id", format!("req_scripted_{}", request.number));
    if let Some(seconds) = retry_after {
        answer = answer.header(header::RETRY_AFTER, seconds);
    }
    answer.body(Body::from(body.to_string())).unwrap_or_default()
}

fn streamed(state: State, request: Request, reply: Reply, protocol: Protocol) -> Response<Body> {
    let (sender, mut receiver) = mpsc::channel::<io::Result<Bytes>>(1);
    let id = format!("req_scripted_{}", request.number);
    state.marks.put(request.number, What::FirstByte(200));
    let steps = protocol.steps(&reply, &request);
    tokio::spawn(async move {
        let number = request.number;
        let sent = tokio::select! {
            biased;
            sent = send(&state, number, steps, &sender) => sent,
            () = sender.closed() => None,
        };
        if sent.is_none() {
            state.marks.put(number, What::Left);
        }
    });
    let body = futures_util::stream::poll_fn(move |context| receiver.poll_recv(context));
    Response::builder()
        .header(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-cache")
        .header("request-id", id)
        .body(Body::from_stream(body))
        .unwrap_or_default()
}

/// `None` if the agent left.
async fn send(
    state: &State,
    number: usize,
    steps: Vec<Step>,
    sender: &mpsc::Sender<io::Result<Bytes>>,
) -> Option<()> {
    for step in steps {
        match step {
            Step::Send(text) if text.is_empty() => {}
            Step::Send(text) => sender.send(Ok(text.into())).await.ok()?,
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Hold(name) => hold(state, number, &name).await,
            Step::Finish(text) => {
                state.marks.put(number, What::Finished);
                sender.send(Ok(text.into())).await.ok()?;
            }
            Step::Fail { kind, event } => {
                state.marks.put(number, What::Errored(kind));
                sender.send(Ok(event.into())).await.ok()?;
                return Some(());
            }
            Step::Cut => {
                // Only once what was sent before has gone out.
                drop(sender.reserve().await.ok()?);
                state.marks.put(number, What::Cut);
                sender.send(Err(io::ErrorKind::ConnectionReset.into())).await.ok()?;
                return Some(());
            }
        }
    }
    Some(())
}

/// Marks that the agent left while the server had sent nothing yet: the future is dropped then.
struct Leaving {
    marks: Option<Marks>,
    number: usize,
}

impl Leaving {
    fn new(state: &State, request: &Request) -> Self {
        Self { marks: Some(state.marks.clone()), number: request.number }
    }

    fn forget(mut self) {
        self.marks = None;
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(marks) = &self.marks {
            marks.put(self.number, What::Left);
        }
    }
}
