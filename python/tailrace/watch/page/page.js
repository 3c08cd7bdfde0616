// Takes the token from the address, follows the events, and shows the numbers. pictures.js shows the pictures.
import { drawCurves } from "./curves.js";
import { Pictures } from "./pictures.js";
import { bytes, element, number, percent, seconds, span } from "./texts.js";

const AGAIN_AFTER = 2000; // ms until a lost connection is tried again
const at = (id) => document.getElementById(id);

// The part of an address behind # is never sent. The store belongs to this tab and this port alone, unlike cookies.
function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem("token", found);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("token") || "";
}

const token = takeToken();

async function ask(path, signal) {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, signal, cache: "no-store" });
  if (answer.ok) return answer;
  const text = await answer.text();
  let said = text.trim();
  try {
    said = JSON.parse(text).error;
  } catch {
    // plain text
  }
  throw Object.assign(new Error(said), { status: answer.status });
}

const pictures = new Pictures(ask);

async function follow() {
  for (;;) {
    try {
      await read((await ask("events")).body.getReader());
      tell("The page lost `tailrace watch`: it has ended, or the way to it is closed.");
    } catch (error) {
      tell(error.status ? error.message : "The page cannot reach `tailrace watch`: it has ended, or the way to it is closed.");
      if (error.status === 401) return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
  }
}

async function read(reader) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) if (event.startsWith("data: ")) show(JSON.parse(event.slice(6)));
  }
}

function tell(text) {
  at("trouble").textContent = text;
  at("trouble").hidden = !text;
}

function card(name, value, text, context = "") {
  const made = element("div");
  made.append(element("span", name), element("b", text, { "data-name": name, "data-value": value ?? "" }), element("span", context));
  return made;
}

function show(runs) {
  const [run] = runs;
  tell(run.trouble);
  at("directory").textContent = run.directory;
  document.title = `${run.state}: ${run.directory}`;
  if (at("state").textContent !== run.state) at("state").textContent = run.state; // readers speak each change
  at("state").className = run.state === "running" || run.state === "complete" ? "good" : "bad";
  if (!run.components) return;
  at("since").textContent = `for ${seconds(run.seconds)}, status of ${run.wall_time}`;
  at("cards").replaceChildren(...cards(run));
  const told = JSON.stringify([run.faults, run.warnings]);
  if (told !== at("messages").dataset.told) {
    at("messages").dataset.told = told;
    at("messages").replaceChildren(
      ...run.faults.map((text) => message("Fault: ", text, "fault")),
      ...run.warnings.map((text) => message("Warning: ", text, "warning")),
    );
  }
  at("curves").hidden = run.history.length < 2;
  drawCurves(at("curves"), run.history);
  table("files", ["file", "commits", "safe up to", "last commit"], run.files.map((file) => [
    file.path, file.commits, file.safe_time === null ? "–" : span(file.safe_time), file.committed ?? "–",
  ]));
  table("servers", ["server", "host", "busy threads", "lag", "buffer", "holds", "memory", "process", "warnings"], run.servers.map((one) => [
    one.number, one.host, number(one.load), seconds(one.lag_seconds), percent(one.buffer_used), bytes(one.pending_bytes),
    one.memory_bytes === null ? "–" : `${bytes(one.memory_bytes)}${one.memory_bounds_all ? "" : " and what the plan must hold"}`,
    one.resident_bytes === null ? "–" : bytes(one.resident_bytes), one.warnings,
  ]));
  const made = run.checkpoints.filter((one) => one.count);
  at("checkpoints-section").hidden = !made.length;
  table("checkpoints", ["component", "step", "model time", "size", "durable in", "number"], made.map((one) => [
    one.component, one.step, span(one.time), bytes(one.bytes), seconds(one.seconds_to_durable), one.count,
  ]));
  at("report-section").hidden = !run.headline.length;
  at("report").replaceChildren(...run.headline.map(([what, value, context]) => card(what, value, value, context)));
  pictures.update(runs);
}

function cards(run) {
  const made = [];
  for (const one of run.components) {
    const who = run.components.length > 1 ? `${one.name}: ` : "";
    made.push(card(`${who}step`, one.step, String(one.step), one.steps_per_second === null ? "" : `${number(one.steps_per_second)} a second`));
    made.push(card(`${who}model time`, one.time, span(one.time)));
    made.push(card(`${who}simulated a day`, one.simulated_per_day, one.simulated_per_day === null ? "–" : span(one.simulated_per_day), "of wall clock"));
    if (run.until !== null) {
      const end = one.seconds_to_end === null ? "" : new Date(Date.now() + 1000 * one.seconds_to_end).toLocaleString();
      made.push(card(`${who}ends in`, one.seconds_to_end, one.seconds_to_end === null ? "–" : seconds(one.seconds_to_end), end));
    }
  }
  made.push(card("written", run.bytes_out, bytes(run.bytes_out), `${bytes(run.bytes_out_per_second)}/s`));
  made.push(card("lag", run.lag_seconds, seconds(run.lag_seconds), "of the latest commit"));
  made.push(card("fullest buffer", run.buffer_used, percent(run.buffer_used)));
  const most = run.servers.reduce((found, one) => (one.pending_bytes > found.pending_bytes ? one : found), run.servers[0]);
  const bound = most.memory_bytes !== null && most.memory_bounds_all ? `of ${bytes(most.memory_bytes)}` : "";
  made.push(card("held by a server", most.pending_bytes, bytes(most.pending_bytes), `${bound}${run.servers.length > 1 ? `, server ${most.number}` : ""}`));
  if (run.input && run.input.reads) made.push(card("read", run.input.bytes_read, bytes(run.input.bytes_read), `${run.input.late} records came late`));
  return made;
}

function message(kind, text, name) {
  const made = element("li", "", { class: name });
  made.append(element("b", kind), text);
  return made;
}

function table(id, heads, rows) {
  const head = element("tr");
  head.append(...heads.map((text) => element("th", text, { scope: "col" })));
  at(id).replaceChildren(head, ...rows.map((cells) => {
    const row = element("tr");
    row.append(...cells.map((cell) => element("td", String(cell))));
    return row;
  }));
}

function setTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = at("theme").value || system;
  pictures.redraw();
  drawCurves(at("curves"), null);
}

at("theme").addEventListener("change", setTheme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", setTheme);
setTheme();
if (token) follow();
else tell("The token is missing: open the address that `tailrace watch` printed.");
