// Numbers as people read them, in the words of the report (python/tailrace/_text.py).

export function bytes(count) {
  let unit = "B";
  for (const next of ["KiB", "MiB", "GiB", "TiB"]) {
    if (Math.abs(count) < 1024) break;
    count /= 1024;
    unit = next;
  }
  return `${unit === "B" || Math.abs(count) >= 100 ? count.toFixed(0) : count.toFixed(1)} ${unit}`;
}

export function seconds(value) {
  if (value === 0) return "0 s";
  const size = Math.abs(value);
  for (const [limit, factor, unit] of [[1e-6, 1e9, "ns"], [1e-3, 1e6, "µs"], [1, 1e3, "ms"], [60, 1, "s"]])
    if (size < limit) return `${size * factor >= 100 ? (value * factor).toFixed(0) : Number((value * factor).toPrecision(3))} ${unit}`;
  const minutes = Math.floor(Math.round(size) / 60);
  const rest = Math.round(size) % 60;
  if (minutes < 60) return `${minutes} min ${String(rest).padStart(2, "0")} s`;
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${number(size / 86400)} days`;
}

export const percent = (share) => `${share >= 0.1 || share === 0 ? (100 * share).toFixed(0) : (100 * share).toFixed(1)} %`;

export function number(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(3);
  return String(Number(value.toPrecision(size >= 1000 ? 6 : 4)));
}

// Model time, or how much of it is simulated in a day.
export function span(value) {
  const size = Math.abs(value);
  for (const [length, word] of [[31557600, "years"], [86400, "days"], [3600, "h"]])
    if (size >= length) return `${number(value / length)} ${word}`;
  return `${number(value)} s`;
}

export function element(tag, text = "", more = {}) {
  const made = document.createElement(tag);
  made.textContent = text; // never HTML: names come from files
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
  return made;
}
