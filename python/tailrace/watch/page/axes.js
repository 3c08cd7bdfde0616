// Axes of pictures: their marks, and which cell of an axis a place belongs to.

export function marks(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step)
    found.push(Math.abs(value) < 1e-9 * step ? 0 : value);
  return found;
}

// Times "seconds since ..." in a unit that suits their length; other axes as they are.
export function scaled(axis) {
  const found = /^(second|minute|hour|day)s? since (.*)$/.exec(axis.units);
  const label = `${axis.name}${axis.units ? ` (${axis.units})` : ""}`;
  if (!found) return { values: axis.values, label };
  const length = { second: 1, minute: 60, hour: 3600, day: 86400 }[found[1]];
  const last = length * Math.max(...axis.values.map(Math.abs));
  const [unit, word] = [[86400, "days"], [3600, "h"], [60, "min"], [1, "s"]].find(([one]) => last >= 3 * one) ?? [1, "s"];
  return { values: axis.values.map((one) => (one * length) / unit), label: `${axis.name} (${word} since ${found[2]})` };
}

// The edges of cells: midway between their centres, the outer ones as far out as the next one is in.
export function edges(centres) {
  const n = centres.length;
  if (n === 1) return [centres[0] - 0.5, centres[0] + 0.5];
  const between = centres.slice(1).map((one, k) => 0.5 * (one + centres[k]));
  return [centres[0] - (between[0] - centres[0]), ...between, centres[n - 1] + (centres[n - 1] - between[n - 2])];
}

// For each of `count` pixels from `from` to `to`: the index of its cell, or -1. Edges may rise or fall.
export function cellsOfPixels(sides, from, to, count) {
  const n = sides.length - 1;
  const rising = sides[n] > sides[0];
  const at = (k) => (rising ? sides[k] : sides[n - k]);
  const found = new Int32Array(count);
  for (let pixel = 0; pixel < count; ++pixel) {
    const place = from + ((pixel + 0.5) / count) * (to - from);
    let [low, high] = [0, n];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at(middle) <= place) low = middle;
      else high = middle;
    }
    found[pixel] = place < at(0) || place > at(n) ? -1 : rising ? low : n - 1 - low;
  }
  return found;
}
