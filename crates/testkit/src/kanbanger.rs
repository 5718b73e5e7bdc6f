//! A Kanbanger that keeps its cards in memory, wants a key, and fails where a test wants it to.

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What becomes of the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is done, and its answer breaks off.
    CutBehindTheAct,
    /// It is not done.
    Status(u16),
    /// The same, and it wants to be asked again after so many seconds.
    Limited(u32),
}

#[derive(Debug, Default)]
struct Desk {
    key: String,
    cards: Vec<Value>,
    comments: Vec<(String, Value)>,
    /// Of requests that change something.
    faults: VecDeque<Fault>,
    requests: Vec<String>,
    /// Questions to come that are answered by nothing but this status.
    unread: VecDeque<u16>,
    /// Counts what happens, as the time of it.
    ticks: u32,
}

type Shared = Arc<Mutex<Desk>>;

/// A running server. It ends when it goes out of scope.
#[derive(Debug)]
pub struct Kanbanger {
    address: SocketAddr,
    cards: Shared,
    task: JoinHandle<()>,
}

impl Drop for Kanbanger {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Kanbanger {
    /// Starts one on a free port; `key` is what a caller shows.
    ///
    /// # Errors
    /// If there is no port.
    pub async fn start(key: &str) -> io::Result<Self> {
        let cards = Arc::new(Mutex::new(Desk { key: key.to_owned(), ..Desk::default() }));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/api/issues", get(list).post(create))
            .route("/api/issues/{task}", get(one).patch(change))
            .route("/api/issues/{task}/comments", post(comment).get(comments))
            .with_state(Arc::clone(&cards));
        let task = tokio::spawn(async move {
            // It ends with the test.
            axum::serve(listener, router).await.ok();
        });
        Ok(Self { address, cards, task })
    }

    /// Where its API is.
    pub fn url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    /// The next requests that change something meet these.
    pub fn faults(&self, faults: impl IntoIterator<Item = Fault>) {
        lock(&self.cards).faults.extend(faults);
    }

    /// The next questions for one card or for its comments are answered by these statuses alone.
    pub fn keeps_silent(&self, statuses: impl IntoIterator<Item = u16>) {
        lock(&self.cards).unread.extend(statuses);
    }

    /// The texts of the comments of a card, as they stand there.
    pub fn comments(&self, task: &str) -> Vec<String> {
        let cards = lock(&self.cards);
        let of = cards.comments.iter().filter(|(of, _)| of == task);
        of.map(|(_, said)| said["body"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Somebody comments on a card there.
    pub fn says(&self, task: &str, comment: Value) {
        lock(&self.cards).comments.push((task.to_owned(), comment));
    }

    /// Method and path of every request.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.cards).requests.clone()
    }

    pub fn cards(&self) -> Vec<Value> {
        lock(&self.cards).cards.clone()
    }
}

fn lock(cards: &Shared) -> MutexGuard<'_, Desk> {
    cards.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refused(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({ "message": message }))).into_response()
}

fn read(body: &Bytes) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

impl Desk {
    /// Whoever has no key is not listened to.
    fn refuses(&mut self, headers: &HeaderMap, request: String) -> Option<Response> {
        self.requests.push(request);
        let said = headers.get("authorization").and_then(|value| value.to_str().ok());
        let knows = said == Some(&*format!("Bearer {}", self.key));
        (!knows).then(|| refused(401, "this key is of nobody"))
    }

    /// What is in the way of the next act.
    fn fault(&mut self) -> Option<Fault> {
        self.faults.pop_front()
    }

    fn now(&mut self) -> String {
        self.ticks += 1;
        let (minutes, seconds) = (self.ticks / 60 % 60, self.ticks % 60);
        format!("2026-11-21T20:{minutes:02}:{seconds:02}Z")
    }

    fn place(&self, task: &str) -> Option<usize> {
        self.cards.iter().position(|card| card["identifier"] == task || card["id"] == task)
    }
}

/// Does it unless something is in the way; the answer to what was done may break off.
fn act(cards: &mut Desk, done: impl FnOnce(&mut Desk) -> Response) -> Response {
    match cards.fault() {
        None => done(cards),
        Some(Fault::Status(status)) => refused(status, "it does not want to"),
        Some(Fault::Limited(seconds)) => {
            let mut response = refused(429, "slow down");
            response.headers_mut().insert("retry-after", seconds.into());
            response
        }
        Some(Fault::CutBehindTheAct) => {
            drop(done(cards));
            let broken = futures_util::stream::once(async {
                Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionReset))
            });
            Response::new(Body::from_stream(broken))
        }
    }
}

async fn list(State(cards): State<Shared>, headers: HeaderMap) -> Response {
    let mut cards = lock(&cards);
    if let Some(refused) = cards.refuses(&headers, "GET /issues".to_owned()) {
        return refused;
    }
    Json(&cards.cards).into_response()
}

async fn create(State(cards): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let mut cards = lock(&cards);
    if let Some(refused) = cards.refuses(&headers, "POST /issues".to_owned()) {
        return refused;
    }
    let said = read(&body);
    if said["title"].as_str().is_none_or(str::is_empty) {
        return refused(422, "a card has a title");
    }
    act(&mut cards, |cards| {
        let (number, now) = (cards.cards.len() + 1, cards.now());
        let card = json!({
            "id": format!("c-{number}"), "identifier": format!("KAN-{number}"),
            "title": said["title"], "description": said["description"],
            "status": said["status"].as_str().unwrap_or("todo"),
            "url": format!("https://tasks.example/KAN-{number}"),
            "created_at": now, "updated_at": now,
        });
        cards.cards.push(card.clone());
        (StatusCode::CREATED, Json(card)).into_response()
    })
}

async fn one(
    State(cards): State<Shared>,
    Path(task): Path<String>,
    headers: HeaderMap,
) -> Response {
    let mut cards = lock(&cards);
    if let Some(refused) = cards.refuses(&headers, format!("GET /issues/{task}")) {
        return refused;
    }
    if let Some(status) = cards.unread.pop_front() {
        return refused(status, "not now");
    }
    match cards.place(&task).and_then(|at| cards.cards.get(at)) {
        Some(card) => Json(card).into_response(),
        None => refused(404, "there is no such card"),
    }
}

async fn change(
    State(cards): State<Shared>,
    Path(task): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut cards = lock(&cards);
    if let Some(refused) = cards.refuses(&headers, format!("PATCH /issues/{task}")) {
        return refused;
    }
    let Some(at) = cards.place(&task) else { return refused(404, "there is no such card") };
    let said = read(&body);
    act(&mut cards, |cards| {
        let now = cards.now();
        let Some(card) = cards.cards.get_mut(at) else { return refused(404, "it is gone") };
        for name in ["title", "description", "status"] {
            if !said[name].is_null() {
                card[name] = said[name].clone();
            }
        }
        card["updated_at"] = json!(now);
        Json(&*card).into_response()
    })
}

async fn comment(
    State(cards): State<Shared>,
    Path(task): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut cards = lock(&cards);
    if let Some(refused) = cards.refuses(&headers, format!("POST /issues/{task}/comments")) {
        return refused;
    }
    if cards.place(&task).is_none() {
        return refused(404, "there is no such card");
    }
    let said = read(&body)["body"].clone();
    act(&mut cards, |cards| {
        let (id, now) = (cards.comments.len() + 1, cards.now());
        let comment = json!({"id": id, "body": said, "author": "headsup", "created_at": now});
        cards.comments.push((task, comment.clone()));
        (StatusCode::CREATED, Json(comment)).into_response()
    })
}

async fn comments(
    State(cards): State<Shared>,
    Path(task): Path<String>,
    headers: HeaderMap,
) -> Response {
    let mut cards = lock(&cards);
    if let Some(refused) = cards.refuses(&headers, format!("GET /issues/{task}/comments")) {
        return refused;
    }
    if let Some(status) = cards.unread.pop_front() {
        return refused(status, "not now");
    }
    let of: Vec<&Value> =
        cards.comments.iter().filter(|(of, _)| *of == task).map(|(_, said)| said).collect();
    Json(of).into_response()
}
