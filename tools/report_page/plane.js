// The plane of two operands: the largest error of each field, one map a device.
const kPlaneSteps = 16; // fields to either side of zero

// How dark a field is: by classes of error, as in the histogram.
function planeClass(ulp, limit) {
  if (ulp === kWrongClass || (limit.ulp !== null && ulp > limit.ulp)) return { cls: "cell over", opacity: 1 };
  const shade = kThresholds.findIndex((threshold) => ulp <= threshold);
  return { cls: "cell", opacity: [0.12, 0.3, 0.45, 0.6, 0.72, 0.86][shade < 0 ? 5 : shade] };
}

// What a step of magnitude covers: "2⁰ to 2⁸".
function planeRange([low, high], step) {
  const index = Math.abs(step) - 1, span = high - low + 1;
  const from = low + Math.ceil((index * span) / kPlaneSteps), to = low + Math.ceil(((index + 1) * span) / kPlaneSteps);
  return `${signedPower(from, step)} to ${signedPower(to, step)}`;
}

function makePlane(row, report, limit) {
  const [first, second, cells] = row.r[report].q;
  const field = 10, left = 46, top = 8, size = (2 * kPlaneSteps + 1) * field;
  const svg = svgElement("svg", {
    class: `plane ${seriesClass(report)}`, viewBox: `0 0 ${left + size + 6} ${top + size + 36}`, role: "img",
    "aria-label": `Largest error of ${row.f} ${row.t} by both operands, ${reports[report].letter} ${reports[report].label}`,
  });
  const x = (step) => left + (step + kPlaneSteps) * field;
  const y = (step) => top + (kPlaneSteps - step) * field;
  svg.append(svgElement("rect", { class: "ground", x: left, y: top, width: size, height: size }));
  for (const [a, b, ulp, width] of cells) {
    const { cls, opacity } = planeClass(ulp, limit);
    const cell = svgElement("rect", { class: cls, x: x(a), y: y(b), width: field, height: field, opacity });
    const error = ulp === kWrongClass ? "wrong class" : `${ulp} ulp`;
    cell.append(svgElement("title", {}, `first operand ${planeRange(first, a)}, second ${planeRange(second, b)}: ${error}${width > 1 ? ` in width ${width}` : ""}`));
    svg.append(cell);
  }
  const middle = field / 2;
  svg.append(svgElement("line", { class: "cross", x1: x(0) + middle, x2: x(0) + middle, y1: top, y2: top + size }));
  svg.append(svgElement("line", { class: "cross", y1: y(0) + middle, y2: y(0) + middle, x1: left, x2: left + size }));
  for (const [step, text] of [[-kPlaneSteps, -1], [0, 0], [kPlaneSteps, 1]]) {
    const label = (range) => (text === 0 ? "0" : signedPower(range[1], text));
    svg.append(svgElement("text", { class: "tick", x: x(step) + middle, y: top + size + 14, "text-anchor": "middle" }, label(first)));
    svg.append(svgElement("text", { class: "tick", x: left - 4, y: y(step) + middle + 4, "text-anchor": "end" }, label(second)));
  }
  svg.append(svgElement("text", { class: "axis", x: left + size / 2, y: top + size + 30, "text-anchor": "middle" }, "first operand; upward the second"));
  return element("figure", {}, element("figcaption", {}, swatch(report), `${reports[report].letter} ${reports[report].label}`), svg);
}

function makePlanes(row, limit) {
  const devices = state.devices.filter((report) => row.r[report] && row.r[report].q);
  if (devices.length === 0) return [];
  return [element("h3", {}, "By both operands"),
    element("div", { class: "planes" }, ...devices.map((report) => makePlane(row, report, limit))),
    element("p", { class: "muted" }, "The darker a field, the larger its largest error; red: over the limit, or a wrong class. Zeros, infinities and NaN are left out.")];
}
