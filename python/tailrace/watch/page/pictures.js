// The choices of a picture, and the place on it whose value is read.
import { table } from "./colours.js";
import { drawLines, drawPlane } from "./drawing.js";
import { element, number } from "./texts.js";

const at = (id) => document.getElementById(id);
const FEWEST_MS = 700; // between two pictures that are asked for because the run went on

export class Pictures {
  constructor(ask) {
    this.ask = ask;
    this.places = {}; // by dim, of those that the user chose
    this.follows = true; // the newest record
    this.lines = [];
    this.cursor = [0, 0];
    for (const id of ["file", "variable", "view", "run"]) at(id).addEventListener("change", () => this.choose(id));
    for (const id of ["colours", "low", "high"]) at(id).addEventListener("input", () => this.redraw());
    at("choices").addEventListener("submit", (event) => event.preventDefault());
    at("canvas").addEventListener("pointermove", (event) => this.point(event));
    at("canvas").addEventListener("keydown", (event) => this.move(event));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.redraw());
  }

  // The run went on. A file that grew is asked for again.
  update(runs) {
    at("run-label").hidden = runs.length < 2;
    this.compares = runs.length > 1;
    const written = runs[0].files.filter((file) => file.commits).map((file) => file.path);
    const known = [...at("file").options].map((option) => option.value);
    if (written.join("\n") !== known.join("\n")) {
      const before = at("file").value;
      at("file").replaceChildren(...written.map((path) => element("option", path, { value: path })));
      if (written.includes(before)) at("file").value = before;
      else if (written.length) this.choose("file");
    }
    const file = runs[0].files.find((one) => one.path === at("file").value);
    const state = JSON.stringify([file, runs[1]?.files?.find((one) => one.path === at("file").value)]);
    if (file && state !== this.state) {
      const isFirst = this.state === undefined;
      this.state = state;
      if (!isFirst) this.soon();
    }
  }

  soon() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.load();
    }, FEWEST_MS);
  }

  async choose(what) {
    if (what === "file") await this.listVariables();
    if (what === "file" || what === "variable") this.listViews();
    await this.load();
  }

  async listVariables() {
    const file = at("file").value;
    this.variables = null; // nothing is asked for until they are known
    try {
      const found = await (await this.ask(`api/contents?${new URLSearchParams({ file })}`)).json();
      if (file !== at("file").value) return; // another one was chosen meanwhile
      this.variables = found;
    } catch (error) {
      this.variables = [];
      this.complain(error);
    }
    const before = at("variable").value;
    at("variable").replaceChildren(...this.variables.map((one) => element("option", one.name, { value: one.name, title: one.long_name })));
    if (this.variables.some((one) => one.name === before)) at("variable").value = before;
  }

  variable() {
    return this.variables?.find((one) => one.name === at("variable").value);
  }

  listViews() {
    const before = at("view").value.split(":")[0];
    const views = this.variable()?.views ?? [];
    const name = (view) => (view.kind === "section" ? `section along ${view.dims[1]}` : view.kind === "series" ? "time series" : view.kind);
    at("view").replaceChildren(...views.map((view) => element("option", name(view), { value: view.id })));
    const same = views.find((view) => view.kind === before);
    if (same) at("view").value = same.id;
  }

  query(run) {
    const view = at("view").value;
    const asked = new URLSearchParams({ run, file: at("file").value, variable: at("variable").value, view });
    const axes = view.split(":").slice(1);
    for (const dim of this.variable().dims) {
      if (axes.includes(dim.name)) continue;
      const place = dim.grows && this.follows ? -1 : (this.places[dim.name] ?? (dim.grows ? -1 : 0));
      asked.append("at", `${dim.name}:${Math.min(place, dim.size - 1)}`);
    }
    return `api/picture?${asked}`;
  }

  // One picture at a time: what is chosen meanwhile is asked for afterwards.
  async load() {
    if (this.loading) return (this.again = true);
    if (!this.variable()) {
      this.lines = [];
      return this.redraw();
    }
    this.loading = true;
    at("pictures").setAttribute("aria-busy", "true");
    try {
      const run = at("run").value;
      const runs = this.isPlane() || !this.compares || run !== "0" ? [run] : ["0", "1"];
      const answers = await Promise.all(runs.map((one) => this.ask(this.query(one)).catch((error) => {
        if (one === "1" && runs.length > 1) return null; // the other run has it not, or not yet
        throw error;
      })));
      const lines = await Promise.all(answers.filter(Boolean).map(async (answer) => unpack(await answer.arrayBuffer())));
      for (const place of lines[0].at) {
        const dim = this.variable()?.dims.find((one) => one.name === place.name);
        if (dim) dim.size = place.size;
      }
      this.lines = lines;
      this.listSliders();
      this.redraw();
    } catch (error) {
      this.complain(error);
    } finally {
      this.loading = false;
      at("pictures").setAttribute("aria-busy", "false");
    }
    if (this.again) {
      this.again = false;
      await this.load();
    }
  }

  isPlane() {
    return ["map", "section"].includes(at("view").value.split(":")[0]);
  }

  // They are kept while they have the same dims, so that the keyboard stays where it is.
  listSliders() {
    const places = this.lines[0].at;
    const names = places.map((one) => one.name).join();
    if (names !== this.sliders) {
      this.sliders = names;
      at("sliders").replaceChildren(...places.flatMap((place) => this.slider(place)));
    }
    for (const place of places) {
      const input = at("sliders").querySelector(`input[data-dim="${CSS.escape(place.name)}"]`);
      input.max = place.size - 1;
      input.value = place.index;
      input.setAttribute("aria-valuetext", place.text);
      input.nextSibling.textContent = place.text;
    }
    if (at("newest")) at("newest").checked = this.follows;
  }

  slider(place) {
    const label = element("label");
    const input = element("input", "", { type: "range", min: 0, "data-dim": place.name });
    input.addEventListener("input", () => {
      this.places[place.name] = Number(input.value);
      if (place.grows) this.follows = false;
      this.load();
    });
    label.append(element("span", place.name), input, element("output"));
    if (!place.grows) return [label];
    const newest = element("label", "", { class: "newest" });
    const box = element("input", "", { type: "checkbox", id: "newest" });
    box.addEventListener("change", () => this.follow(box.checked));
    newest.append(box, "newest");
    return [label, newest];
  }

  follow(wanted) {
    this.follows = wanted;
    const growing = this.lines[0]?.at.find((one) => one.grows);
    if (growing) this.places[growing.name] = growing.index;
    this.load();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    const growing = this.lines[0]?.at.find((one) => one.grows);
    if (event.key === "n") this.follow(true);
    else if ((event.key === "[" || event.key === "]") && growing) {
      this.follows = false;
      const next = growing.index + (event.key === "[" ? -1 : 1);
      this.places[growing.name] = Math.max(0, Math.min(growing.size - 1, next));
      this.load();
    }
  }

  range() {
    const known = this.lines.filter((line) => line.smallest !== null);
    let low = Math.min(...known.map((line) => line.smallest));
    let high = Math.max(...known.map((line) => line.largest));
    if (at("run").value === "difference" && known.length) [low, high] = [-1, 1].map((sign) => sign * Math.max(Math.abs(low), Math.abs(high)));
    const given = (id) => (at(id).value.trim() === "" ? NaN : Number(at(id).value));
    if (Number.isFinite(given("low"))) low = given("low");
    if (Number.isFinite(given("high"))) high = given("high");
    return [low, high];
  }

  redraw() {
    const canvas = at("canvas");
    const [line] = this.lines;
    if (!line) return;
    const [low, high] = this.range();
    if (!Number.isFinite(low) || !Number.isFinite(high)) return this.caption("all values are missing");
    const colours = table(at("run").value === "difference" ? "PuOr" : at("colours").value);
    this.drawn = line.shape.length === 2 ? drawPlane(canvas, line, colours, low, high) : drawLines(canvas, this.lines, low, high);
    this.caption();
    return this.read();
  }

  caption(more = "") {
    const [line] = this.lines;
    const where = line.at.map((one) => `${one.name} ${one.text}`).join(", ");
    const thinned = Math.max(1, ...line.every) > 1 ? `; every ${Math.max(...line.every)}th value is drawn` : "";
    const both = this.lines.length > 1 ? "; dashed: the other run" : "";
    const figures = ["smallest", "mean", "largest"].map((one) => `${one} ${number(line[one])}`).join(", ");
    const text = `${line.variable} (${line.units || "1"})${where ? ` at ${where}` : ""}: ${more || figures}${thinned}${both}`;
    at("caption").textContent = text;
    for (const one of ["smallest", "mean", "largest"]) at("caption").dataset[one] = line[one] ?? "";
    at("canvas").setAttribute("aria-label", `${line.kind} of ${text}`);
  }

  complain(error) {
    this.lines = [];
    at("caption").textContent = error.message;
    at("reading").textContent = "";
    const canvas = at("canvas");
    canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
  }

  point(event) {
    if (!this.drawn || !this.lines.length) return;
    const { frame } = this.drawn;
    const box = at("canvas").getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - frame.left, event.clientY - box.top - frame.top];
    if (x < 0 || y < 0 || x >= frame.width || y >= frame.height) return;
    if (this.drawn.ofRow) {
      const row = this.drawn.ofRow[Math.min(this.drawn.rows - 1, Math.floor(y * frame.ratio))];
      this.cursor = [row, this.drawn.ofColumn[Math.min(this.drawn.columns - 1, Math.floor(x * frame.ratio))]];
    } else {
      const share = this.drawn.upright ? 1 - y / frame.height : x / frame.width;
      this.cursor = [this.drawn.ofColumn[Math.min(this.drawn.ofColumn.length - 1, Math.floor(share * this.drawn.ofColumn.length))], 0];
    }
    this.read();
  }

  move(event) {
    const [line] = this.lines;
    const by = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [1, -1], ArrowRight: [1, 1] }[event.key];
    if (!line || !by) return;
    event.preventDefault();
    const axis = line.shape.length === 2 ? by[0] : 0;
    const rises = (values) => values.length < 2 || values[1] > values[0];
    const step = by[1] * (event.shiftKey ? 10 : 1) * (rises(line.axes[axis].values) ? 1 : -1);
    this.cursor[axis] = Math.max(0, Math.min(line.shape[axis] - 1, this.cursor[axis] + step));
    this.read();
  }

  // The value at the cursor, in words: for screen readers too.
  read() {
    const [line] = this.lines;
    this.cursor = line.shape.map((size, k) => Math.max(0, Math.min(size - 1, this.cursor[k] ?? 0)));
    const [row, column] = this.cursor;
    const place = line.axes.map((axis, k) => `${axis.name} ${number(axis.values[this.cursor[k]])}`).join(", ");
    const value = line.values[line.shape.length === 2 ? row * line.shape[1] + column : row];
    at("reading").textContent = `at ${place}: ${Number.isFinite(value) ? `${number(value)} ${line.units}` : "missing"}`;
    at("reading").dataset.value = value;
  }
}

// A header in JSON behind its length, and float32 values (watch/pictures.py).
function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { ...header, values: new Float32Array(buffer.slice(4 + length)) };
}
