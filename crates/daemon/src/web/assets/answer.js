// What a person answers on a page goes to the hub, which says what became of it. The card itself is
// the hub's: it goes, or changes, with the stream that board.js reads.

const root = document.documentElement;
const skew = Number(root.dataset.now) - Date.now();

function send(prompt, act, body) {
  const id = globalThis.crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  return fetch(`/api/v1/prompts/${encodeURIComponent(prompt)}/${act}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-headsup-id": id },
    body: JSON.stringify({ ...body, via: "web" }),
  });
}

// ---- Answers.
function chosen(box, answer) {
  if (answer === "default") return { default: true };
  if (answer === "text") return { value: box.querySelector("input.text").value };
  if (answer !== "chosen") return { option: Number(answer) };
  return { option: [...box.querySelectorAll("input:checked")].map((field) => Number(field.value)) };
}

async function answer(button) {
  const box = button.closest("[data-prompt]");
  const fields = [...box.querySelectorAll("button, input")];
  const body = chosen(box, button.dataset.answer);
  // What is disabled loses the focus.
  const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
  fields.forEach((field) => { field.disabled = true; });
  tell(box, "Sending …", false);
  let again = true;
  let words = "The hub is not heard. Try again.";
  try {
    const reply = await send(box.dataset.prompt, "answer", body);
    const said = await reply.json();
    again = !reply.ok && said.code !== "already_resolved";
    words = reply.ok ? "Answered." : said.detail;
  } catch {
    // What is said already holds.
  }
  // The card may have been drawn again meanwhile.
  const card = box.isConnected ? box : document.querySelector(`[data-prompt="${CSS.escape(box.dataset.prompt)}"]`);
  if (!card) return;
  tell(card, words, again);
  card.querySelectorAll("button, input").forEach((field) => { field.disabled = !again; });
  const isElsewhere = document.activeElement && document.activeElement !== document.body;
  if (again && focused && !isElsewhere) document.getElementById(focused)?.focus({ preventScroll: true });
}

function tell(box, words, isWrong) {
  const told = box.querySelector(".told");
  told.textContent = words;
  told.classList.toggle("wrong", isWrong);
}

addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-prompt] [data-answer]");
  if (!button) return;
  // Enter and the like are not pointed with.
  if (event.detail && button.id === fresh.id && performance.now() < fresh.until) {
    return tell(button.closest("[data-prompt]"), "This has moved under the pointer just now. Click again if you mean it.", true);
  }
  answer(button);
});
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !event.target.matches?.("[data-prompt] input.text")) return;
  answer(event.target.closest("[data-prompt]").querySelector("[data-answer='text']"));
});

// ---- What only just came to lie under the pointer is not meant by a click. Where a card is answered the next
// one takes its place, and would have the second click of a double one.
const FRESH = 500;
let fresh = { id: "", until: 0 };
let pointer = null;
let under = "";

const named = (element) => element?.closest?.("[data-prompt] [data-answer]")?.id ?? "";
const lies = () => (pointer ? named(document.elementFromPoint(...pointer)) : "");

function point(event) {
  pointer = [event.clientX, event.clientY];
  under = named(event.target);
}

function shift() {
  const now = lies();
  if (now && now !== under) fresh = { id: now, until: performance.now() + FRESH };
  under = now;
}

addEventListener("pointermove", point, { passive: true });
addEventListener("pointerdown", point, { passive: true });
// What people move themselves they see.
for (const kind of ["scroll", "resize"]) {
  addEventListener(kind, () => { under = lies(); }, { passive: true, capture: true });
}

// What was typed or marked stays when its card is drawn again, and so do the caret, what was said of the answer, and
// how far down somebody has read. The caret does so before the field has the focus: the page may not have it either.
const read = [];

addEventListener("headsup:replace", ({ detail: { old, fresh: drawn } }) => {
  const same = (element) => drawn.querySelector(`#${CSS.escape(element.id)}`);
  for (const field of old.querySelectorAll("[data-prompt] :is(input, button)[id]")) {
    const again = same(field);
    if (!again) continue;
    again.disabled = field.disabled;
    if (field.localName !== "input") continue;
    [again.value, again.checked] = [field.value, field.checked];
    // Only a place to write has one.
    const { selectionStart: from, selectionEnd: to, selectionDirection: way } = field;
    if (typeof from === "number") again.setSelectionRange(from, to, way);
  }
  for (const told of old.querySelectorAll("[data-prompt] .told[id]")) {
    const again = same(told);
    if (again) [again.textContent, again.className] = [told.textContent, told.className];
  }
  const long = ".ask :is(.asked, .body)";
  for (const box of old.querySelectorAll(long)) {
    const again = [...drawn.querySelectorAll(long)].find((one) => one.textContent === box.textContent);
    if (again && box.scrollTop) read.push([again, box.scrollTop]);
  }
});

// ---- Time that is left.
function left(ms) {
  const seconds = Math.ceil(Math.max(0, ms) / 1000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}h${two(minutes % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function count() {
  for (const time of document.querySelectorAll("time[data-until]")) {
    const text = left(Number(time.dataset.until) - Date.now() - skew);
    if (time.textContent !== text) time.textContent = text;
  }
}

// ---- What a person has had before their eyes; what only lies open in a tab has come, and no more.
const known = new Map();

function notice(box, seen) {
  const prompt = box.dataset.prompt;
  if ((known.get(prompt) ?? -1) >= Number(seen)) return;
  known.set(prompt, Number(seen));
  send(prompt, "seen", { only_delivered: !seen }).catch(() => known.delete(prompt));
}

const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) notice(target, isIntersecting && !document.hidden);
});

function look() {
  // Only what is in its place can be scrolled.
  for (const [box, top] of read.splice(0)) box.scrollTop = top;
  shift();
  count();
  for (const box of document.querySelectorAll("[data-prompt]")) sight.observe(box);
}

new MutationObserver(look).observe(document.getElementById("main"), { childList: true, subtree: true });
document.addEventListener("visibilitychange", () => { sight.disconnect(); look(); });
setInterval(count, 1000);
look();
