// Draws one picture into a canvas: a coloured plane (maps, sections) or lines (profiles, series).
import { cellsOfPixels, edges, marks, scaled } from "./axes.js";
import { number } from "./texts.js";

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

class Frame {
  constructor(canvas, share, bar) {
    this.ratio = devicePixelRatio;
    this.font = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.8;
    const width = canvas.clientWidth;
    this.left = 5 * this.font;
    this.right = bar ? 6 * this.font : this.font;
    this.top = this.font;
    this.bottom = 3.2 * this.font;
    const inner = Math.max(40, width - this.left - this.right);
    const height = Math.min(inner * share, 0.72 * innerHeight) + this.top + this.bottom;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * this.ratio);
    canvas.height = Math.round(height * this.ratio);
    this.context = canvas.getContext("2d");
    this.context.scale(this.ratio, this.ratio);
    this.context.font = `${this.font}px system-ui, sans-serif`;
    this.width = inner;
    this.height = height - this.top - this.bottom;
  }

  // `x` and `y`: {label, from, to} at the left, right, bottom, top of the frame.
  axes(x, y) {
    const { context, font } = this;
    context.strokeStyle = style("--faint");
    context.lineWidth = 1;
    context.strokeRect(this.left, this.top, this.width, this.height);
    context.fillStyle = style("--soft");
    context.textAlign = "center";
    context.textBaseline = "top";
    const beneath = this.top + this.height;
    for (const value of marks(Math.min(x.from, x.to), Math.max(x.from, x.to), this.width / (6 * font))) {
      const place = this.left + (this.width * (value - x.from)) / (x.to - x.from || 1);
      context.fillRect(place, beneath, 1, 4);
      context.fillText(number(value), place, beneath + 6);
    }
    context.fillText(x.label, this.left + this.width / 2, beneath + 6 + 1.2 * font, this.width);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of marks(Math.min(y.from, y.to), Math.max(y.from, y.to), this.height / (2.5 * font))) {
      const place = beneath - (this.height * (value - y.from)) / (y.to - y.from || 1);
      context.fillRect(this.left - 4, place, 4, 1);
      context.fillText(number(value), this.left - 6, place, this.left - font - 8);
    }
    context.save();
    context.translate(0.6 * font, this.top + this.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(y.label, 0, 0, this.height);
    context.restore();
  }
}

// Whether an axis is drawn with its large values beneath.
const isDown = (axis) => axis.down || /^(h|k)?Pa$|^m?bars?$/.test(axis.units);

export function drawPlane(canvas, picture, colours, low, high) {
  const [vertical, across] = picture.axes.map((axis) => ({ ...scaled(axis), down: isDown(axis) }));
  const [ySides, xSides] = [edges(vertical.values), edges(across.values)];
  const span = (sides) => [Math.min(...sides), Math.max(...sides)];
  const [[xFrom, xTo], [yLow, yHigh]] = [span(xSides), span(ySides)];
  const [yFrom, yTo] = vertical.down ? [yHigh, yLow] : [yLow, yHigh];
  const share = picture.kind === "map" ? Math.min(1.2, Math.max(0.2, (yHigh - yLow) / (xTo - xFrom))) : 0.5;
  const frame = new Frame(canvas, share, true);
  const [columns, rows] = [Math.round(frame.width * frame.ratio), Math.round(frame.height * frame.ratio)];
  const ofColumn = cellsOfPixels(xSides, xFrom, xTo, columns);
  const ofRow = cellsOfPixels(ySides, yTo, yFrom, rows);
  const image = frame.context.createImageData(columns, rows);
  const width = picture.shape[1];
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      if (ofRow[row] < 0 || ofColumn[column] < 0) continue;
      const value = picture.values[ofRow[row] * width + ofColumn[column]];
      if (!Number.isFinite(value)) continue; // missing: the paper is seen
      const share_of = high > low ? (value - low) / (high - low) : 0.5;
      const colour = colours[Math.max(0, Math.min(255, Math.floor(256 * share_of)))];
      image.data.set([...colour, 255], 4 * (row * columns + column));
    }
  frame.context.putImageData(image, Math.round(frame.left * frame.ratio), Math.round(frame.top * frame.ratio));
  frame.axes({ label: across.label, from: xFrom, to: xTo }, { label: vertical.label, from: yFrom, to: yTo });
  drawBar(frame, colours, low, high, picture.units);
  return { frame, ofColumn, ofRow, columns, rows };
}

function drawBar(frame, colours, low, high, units) {
  const { context, font } = frame;
  const [left, width] = [frame.left + frame.width + font, font];
  colours.forEach((colour, k) => {
    context.fillStyle = `rgb(${colour})`;
    const top = frame.top + frame.height * (1 - (k + 1) / 256);
    context.fillRect(left, top, width, frame.height / 256 + 1);
  });
  context.fillStyle = style("--soft");
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const value of high > low ? marks(low, high, frame.height / (3 * font)) : [low])
    context.fillText(number(value), left + width + 4, frame.top + frame.height * (1 - (high > low ? (value - low) / (high - low) : 0.5)), 4 * font);
  context.fillText(units, left, frame.top + frame.height + font, 5 * font);
}

// Lines over one axis: of this run, and where there is one, of the other. A profile has its axis upwards.
export function drawLines(canvas, lines, low, high) {
  const [first] = lines;
  const upright = first.kind === "profile";
  const frame = new Frame(canvas, upright ? 0.75 : 0.42, false);
  const along = lines.map((line) => scaled(line.axes[0]));
  const places = along.flatMap((one) => one.values);
  let [from, to] = [Math.min(...places), Math.max(...places)];
  if (from === to) [from, to] = [from - 0.5, to + 0.5];
  if (isDown(first.axes[0])) [from, to] = [to, from];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const [axis, values] = [{ label: along[0].label, from, to }, { label: `${first.variable} (${first.units})`, from: low, to: high }];
  frame.axes(upright ? values : axis, upright ? axis : values);
  const { context } = frame;
  lines.forEach((line, k) => {
    context.strokeStyle = context.fillStyle = style(`--c${k}`);
    context.lineWidth = 2;
    context.setLineDash(k ? [6, 4] : []);
    context.beginPath();
    let drawing = false;
    along[k].values.forEach((place, i) => {
      const value = line.values[i];
      if (!Number.isFinite(value)) return (drawing = false);
      const share = (place - from) / (to - from);
      const size = (value - low) / (high - low);
      const x = frame.left + frame.width * (upright ? size : share);
      const y = frame.top + frame.height * (1 - (upright ? share : size));
      if (drawing) context.lineTo(x, y);
      else context.moveTo(x, y);
      if (along[k].values.length < 60) context.rect(x - 1.5, y - 1.5, 3, 3);
      context.moveTo(x, y);
      return (drawing = true);
    });
    context.stroke();
  });
  context.setLineDash([]);
  const ofColumn = cellsOfPixels(edges(along[0].values), from, to, Math.round(frame.width));
  return { frame, upright, ofColumn };
}
