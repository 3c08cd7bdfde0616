// The curves of the last minutes: each row of the history is seconds, steps/s, lag, buffer, memory, busy threads.
import { element, number, percent, seconds } from "./texts.js";

const CURVES = [
  [1, "steps a second", number],
  [2, "lag", seconds],
  [3, "fullest buffer", percent],
  [4, "memory, of its bound", percent],
  [5, "busy threads of a server", number],
];
let kept = [];

export function drawCurves(place, history) {
  if (history) kept = history;
  if (!place.childElementCount)
    place.append(...CURVES.map(() => {
      const figure = element("figure");
      figure.append(element("figcaption"), element("canvas", "", { "aria-hidden": "true" }));
      return figure;
    }));
  CURVES.forEach(([column, name, text], place_of) => {
    const figure = place.children[place_of];
    const values = kept.map((row) => row[column]);
    const most = Math.max(0, ...values);
    figure.firstChild.textContent = `${name}: ${kept.length ? text(values[values.length - 1]) : "–"} (most ${text(most)})`;
    draw(figure.lastChild, kept.map((row) => row[0]), values, most);
  });
}

function draw(canvas, times, values, most) {
  const style = getComputedStyle(document.documentElement);
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  context.strokeStyle = style.getPropertyValue("--faint");
  context.lineWidth = ratio;
  context.strokeRect(0.5, 0.5, width - 1, height - 1);
  if (times.length < 2) return;
  const [first, last] = [times[0], times[times.length - 1]];
  context.strokeStyle = style.getPropertyValue("--c0");
  context.lineWidth = 1.5 * ratio;
  context.beginPath();
  values.forEach((value, k) => {
    const x = (width * (times[k] - first)) / (last - first || 1);
    context.lineTo(x, height - 3 * ratio - (height - 6 * ratio) * (most ? value / most : 0));
  });
  context.stroke();
}
