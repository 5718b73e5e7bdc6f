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
  const told = box.querySelector(".told");
  const fields = [...box.querySelectorAll("button, input")];
  const body = chosen(box, button.dataset.answer);
  fields.forEach((field) => { field.disabled = true; });
  told.textContent = "Sending …";
  let again = true;
  try {
    const reply = await send(box.dataset.prompt, "answer", body);
    const said = await reply.json();
    again = !reply.ok && said.code !== "already_resolved";
    told.textContent = reply.ok ? "Answered." : said.detail;
  } catch {
    told.textContent = "The hub is not heard. Try again.";
  }
  told.classList.toggle("wrong", again);
  fields.forEach((field) => { field.disabled = !again; });
}

addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-prompt] [data-answer]");
  if (button) answer(button);
});
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || !event.target.matches?.("[data-prompt] input.text")) return;
  answer(event.target.closest("[data-prompt]").querySelector("[data-answer='text']"));
});

// What was typed or marked stays when its card is drawn again.
addEventListener("headsup:replace", ({ detail: { old, fresh } }) => {
  for (const field of old.querySelectorAll("[data-prompt] input[id]")) {
    const again = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (again) [again.value, again.checked] = [field.value, field.checked];
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
  count();
  for (const box of document.querySelectorAll("[data-prompt]")) sight.observe(box);
}

new MutationObserver(look).observe(document.getElementById("main"), { childList: true, subtree: true });
document.addEventListener("visibilitychange", () => { sight.disconnect(); look(); });
setInterval(count, 1000);
look();
