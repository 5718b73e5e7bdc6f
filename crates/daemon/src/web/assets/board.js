// Keeps a page as the hub says it is: puts rendered parts into place, counts ages on the hub's
// clock, and says so when it no longer hears the hub. It knows nothing of agents.

const root = document.documentElement;
const byId = (id) => document.getElementById(id);

/** Silence after which the hub counts as gone. It speaks every 3 s. */
const SILENCE = 7500;
/** Between two attempts, at most. */
const LONGEST = 3000;

// ---- Parts: the only place where text becomes elements; it comes rendered from the hub alone.
const policy = globalThis.trustedTypes?.createPolicy("headsup", { createHTML: (html) => html });

function element(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content.firstElementChild;
}

/** Puts `fresh` where the element of that id is. Returns whether anything was touched. */
function replace(old, fresh) {
  const details = (within) => [...within.querySelectorAll("details[id]")];
  const open = details(old).filter((box) => box.open).map((box) => box.id);
  details(fresh).forEach((box) => { box.open = open.includes(box.id); });
  fresh.classList.toggle("changed", old.classList.contains("changed"));
  if (old.isEqualNode(fresh)) return false;
  const news = fresh.dataset.headline !== old.dataset.headline;
  fresh.classList.toggle("changed", news && root.dataset.link === "live");
  dispatchEvent(new CustomEvent("headsup:replace", { detail: { old, fresh } }));
  old.replaceWith(fresh);
  return true;
}

/** Touches the elements that changed, and those alone. */
function put({ elements = {}, lists = {} }) {
  const focused = document.activeElement?.id;
  const held = new Map();
  const drawn = new Map();
  const ids = Object.keys(lists);
  for (const id of ids) for (const row of byId(id)?.children ?? []) held.set(row.id, row);
  for (const [id, html] of Object.entries(elements)) {
    const old = byId(id);
    const fresh = element(html);
    tick([fresh]);
    if (!old) fresh.classList.toggle("changed", root.dataset.link === "live");
    if (!old || replace(old, fresh)) drawn.set(id, fresh);
  }
  for (const id of ids) order(byId(id), lists[id].map((key) => drawn.get(key) ?? held.get(key) ?? byId(key)), drawn);
  if (focused && document.activeElement?.id !== focused) byId(focused)?.focus({ preventScroll: true });
}

/** Rows that do not change keep their order, so the others, which were drawn, are taken out and put in. */
function order(list, rows, drawn) {
  if (!list) return;
  const wanted = new Set(rows);
  for (const row of [...list.children]) if (!wanted.has(row) || drawn.has(row.id)) row.remove();
  let at = list.firstElementChild;
  for (const row of rows) {
    if (row === at) at = at.nextElementSibling;
    else if (row) list.insertBefore(row, at);
  }
}

// ---- Ages.
let skew = Number(root.dataset.now) - Date.now();
let heard = Date.now();

function short(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(seconds / 3600);
  if (seconds < 60) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m`;
  if (hours < 24) return `${hours}h${String(minutes % 60).padStart(2, "0")}`;
  return `${Math.floor(hours / 24)}d`;
}

/** An age runs on only while the hub is heard. */
function tick(within = [document]) {
  const now = (root.dataset.link === "live" ? Date.now() : heard) + skew;
  for (const part of within) for (const age of part.querySelectorAll("time[data-since]")) {
    const text = short(now - Number(age.dataset.since));
    if (age.textContent !== text) age.textContent = text;
  }
}

// ---- The connection, and what is said of it.
const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });
let lost = Date.now();

function link(state) {
  if (state !== root.dataset.link && root.dataset.link === "live") lost = Date.now();
  root.dataset.link = state;
  say();
}

function say() {
  const state = root.dataset.link;
  const ago = short(Date.now() - lost);
  const asOf = `as of ${clock(heard)}`;
  const texts = {
    connecting: ["Connecting", "", ""],
    live: ["Live", "", ""],
    lost: ["Reconnecting", ` for ${ago}`, `The hub is not heard. What you see is ${asOf}.`],
    stopped: ["Hub stopped", ` ${ago} ago`, `The hub has stopped. What you see is ${asOf}; it goes on by itself when the hub is back.`],
    resting: ["Paused", "", ""],
    out: ["Signed out", "", `You are signed out. What you see is ${asOf}. Run headsup open in a terminal to sign in again.`],
  };
  const [brief, since, long] = texts[state];
  for (const [id, text] of [["link-text", brief], ["link-for", since], ["banner", long]]) write(byId(id), text);
  if (byId("banner")) byId("banner").hidden = !long;
  root.style.setProperty("--as-of", long ? `"${asOf}"` : "none");
}

function write(at, text) {
  if (at && at.textContent !== text) at.textContent = text;
}

/** One message of the stream. Whatever comes first is how things are: nothing of it is news. */
function take(kind, data) {
  heard = Date.now();
  skew = data.now - heard;
  if (data.build !== root.dataset.build) location.reload();
  else if (kind === "bye") link("stopped");
  else {
    if (kind !== "beat") put(data);
    if (data.title) document.title = data.title;
    const icon = byId("icon");
    if (icon && data.wanted !== undefined) icon.href = data.wanted ? icon.dataset.wanted : icon.dataset.calm;
    if (kind === "change" && data.said) write(byId("said"), data.said.join(", "));
    link("live");
  }
  tick();
}

let stream = new AbortController();
let attempts = 0;
let timer = 0;
let tried = 0;

async function listen() {
  clearTimeout(timer);
  stream.abort();
  const mine = stream = new AbortController();
  tried = Date.now();
  try {
    const answer = await fetch(root.dataset.events, { signal: mine.signal, cache: "no-store" });
    if (answer.status === 401 || answer.status === 403) link("out");
    else if (answer.ok) await read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
  } catch {
    // Broken off, refused, or given up below: all the same to the page.
  }
  if (mine !== stream) return;
  if (!["stopped", "out"].includes(root.dataset.link)) link("lost");
  const pause = Math.min(LONGEST, 250 * 2 ** attempts) * (0.75 + Math.random() / 2);
  attempts += 1;
  timer = setTimeout(listen, pause);
}

// A browser has six connections to one host. Of the tabs that nobody looks at, two stay connected
// and count in their titles; the others rest until they are looked at.
let leave = () => {};

function stay(places = ["one", "two"]) {
  const [place, ...others] = places;
  if (!navigator.locks || !document.hidden) return;
  if (!place) return rest();
  navigator.locks.request(`headsup-${place}`, { ifAvailable: true }, (lock) => {
    if (!lock) return stay(others);
    if (document.hidden) return new Promise((done) => { leave = done; });
  });
}

function rest() {
  clearTimeout(timer);
  stream.abort();
  stream = new AbortController();
  link("resting");
}

async function read(reader) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const messages = text.split("\n\n");
    text = messages.pop();
    for (const message of messages) {
      const field = (name) => message.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field("data")) take(field("event"), JSON.parse(field("data")));
      attempts = 0;
    }
  }
}

if (root.dataset.events) {
  setInterval(() => {
    const live = root.dataset.link === "live";
    if (root.dataset.link === "resting") return;
    // A hub that takes the call and never answers is no hub either.
    if (Date.now() - Math.max(heard, tried) > SILENCE) {
      if (live) link("lost");
      listen();
    } else if (live) tick();
    else say();
  }, 1000);
  const again = () => { if (root.dataset.link !== "live") { attempts = 0; listen(); } };
  addEventListener("online", again);
  addEventListener("pageshow", (event) => { if (event.persisted) { link("lost"); again(); } });
  addEventListener("pagehide", () => stream.abort());
  document.addEventListener("visibilitychange", () => {
    leave();
    if (document.hidden) stay();
    else again();
  });
  listen();
  stay();
}
