// The largest error of each binade of the first operand, one line a device, on a logarithmic scale.
const kSvg = "http://www.w3.org/2000/svg";
const kLowest = 0.01; // smaller errors are drawn on the lower edge
const kHighest = 1e4; // larger ones, and wrong classes, in the band on top
const kNothing = -1; // in the data: no inputs in that step
const kWrongClass = -2;

function svgElement(tag, attributes, text) {
  const made = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Where things are: exponents across, decades upward, a band for what is beyond them.
function plotFrame(series, limit, width) {
  const first = Math.min(...series.map((s) => s.first));
  const last = Math.max(...series.map((s) => s.first + s.step * s.values.length));
  const numbers = series.flatMap((s) => s.values).filter((v) => v >= 0);
  const largest = Math.max(1, 2 * (limit || 0), ...numbers);
  const highest = Math.min(kHighest, 10 ** Math.ceil(Math.log10(largest)));
  const beyond = series.some((s) => s.values.some((v) => v === kWrongClass || v > highest));
  const left = 58, right = width - 24, top = beyond ? 34 : 14, bottom = 246;
  const decades = Math.log10(highest / kLowest);
  return {
    first, last, left, right, top, bottom, highest, beyond, width,
    height: 292,
    x: (exponent) => left + ((exponent - first) / (last - first)) * (right - left),
    y: (ulp) => bottom - (Math.log10(Math.max(ulp, kLowest) / kLowest) / decades) * (bottom - top),
  };
}

function drawAxes(svg, frame) {
  for (let ulp = kLowest; ulp < frame.highest * 1.5; ulp *= 10) {
    const y = frame.y(ulp);
    svg.append(svgElement("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y, y2: y }));
    const decade = Math.round(Math.log10(ulp));
    const text = decade > 2 ? powerText(10, decade) : decade < 0 ? ulp.toFixed(-decade) : String(10 ** decade);
    svg.append(svgElement("text", { class: "tick", x: frame.left - 6, y: y + 4, "text-anchor": "end" },
      decade === -2 ? `≤\u2009${text}` : text));
  }
  if (frame.beyond) {
    svg.append(svgElement("text", { class: "tick", x: frame.left - 6, y: 20, "text-anchor": "end" },
      frame.highest < kHighest ? "∞" : ">10⁴, ∞"));
  }
  const wanted = (frame.last - frame.first) / Math.max(3, (frame.right - frame.left) / 80);
  const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].find((s) => s >= wanted) || 1024;
  for (let e = Math.ceil(frame.first / step) * step; e <= frame.last; e += step) {
    const x = frame.x(e);
    svg.append(svgElement("line", { class: "grid", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 4 }));
    svg.append(svgElement("text", { class: "tick", x, y: frame.bottom + 18, "text-anchor": "middle" }, powerText(2, e)));
  }
  svg.append(svgElement("text", { class: "axis", x: (frame.left + frame.right) / 2, y: frame.height - 8, "text-anchor": "middle" },
    "magnitude of the first operand"));
}

function drawLevel(svg, frame, ulp, cls, text) {
  const y = frame.y(Math.min(ulp, frame.highest));
  svg.append(svgElement("line", { class: cls, x1: frame.left, x2: frame.right, y1: y, y2: y }));
  svg.append(svgElement("text", { class: `${cls}-text`, x: frame.right, y: y - 4, "text-anchor": "end" }, text));
}

function drawSeries(svg, frame, series) {
  let path = "", marks = "", drawing = false;
  series.values.forEach((value, i) => {
    const from = frame.x(series.first + i * series.step).toFixed(1);
    const to = frame.x(series.first + (i + 1) * series.step).toFixed(1);
    if (value === kWrongClass || value > frame.highest) {
      marks += `M${from} ${16 + series.lane}H${Math.max(to, Number(from) + 3).toFixed(1)}`;
      drawing = false;
    } else if (value === kNothing) {
      drawing = false;
    } else {
      path += `${drawing ? "L" : "M"}${from} ${frame.y(value).toFixed(1)}H${to}`;
      drawing = true;
    }
  });
  const cls = `series ${seriesClass(series.report)}`;
  if (path) svg.append(svgElement("path", { class: cls, d: path }));
  if (marks) svg.append(svgElement("path", { class: `${cls} beyond`, d: marks }));
}

function stepText(series, exponent) {
  const i = Math.floor((exponent - series.first) / series.step);
  const value = series.values[i];
  const letter = reports[series.report].letter;
  if (value === undefined || value === kNothing) return `${letter} no input`;
  return `${letter} ${value === kWrongClass ? "wrong class" : `${value} ulp`}`;
}

// Pointer and arrow keys read the values of one step off the plot.
function addCursor(svg, frame, series, readout) {
  const step = Math.max(...series.map((s) => s.step));
  const line = svgElement("line", { class: "cursor", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  svg.append(line);
  const steps = Math.ceil((frame.last - frame.first) / step);
  let at = Math.min(steps - 1, Math.max(0, Math.floor(-frame.first / step)));
  const show = (index) => {
    at = Math.max(0, Math.min(steps - 1, index));
    const exponent = frame.first + at * step;
    const x = frame.x(exponent + step / 2);
    for (const [name, value] of [["x1", x], ["x2", x], ["visibility", "visible"]]) line.setAttribute(name, value);
    const range = step > 1 ? ` to ${powerText(2, Math.min(exponent + step, frame.last))}` : "";
    const text = `${powerText(2, exponent)}${range}: ${series.map((s) => stepText(s, exponent)).join(", ")}`;
    readout.textContent = text;
    svg.setAttribute("aria-valuenow", exponent);
    svg.setAttribute("aria-valuetext", text);
  };
  svg.addEventListener("pointermove", (event) => {
    const x = ((event.clientX - svg.getBoundingClientRect().left) / svg.clientWidth) * frame.width;
    show(Math.floor(((x - frame.left) / (frame.right - frame.left)) * steps));
  });
  svg.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -steps, End: steps }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(at + move);
  });
  svg.addEventListener("focus", () => show(at));
}

function seriesOf(row) {
  return state.devices
    .filter((report) => row.r[report] && row.r[report].b)
    .map((report, lane) => {
      const [first, step, values] = row.r[report].b;
      return { report, first, step, values, lane: lane * 3 };
    });
}

function sample(report) {
  const svg = svgElement("svg", { class: `sample ${seriesClass(report)}`, viewBox: "0 0 28 8", "aria-hidden": "true" });
  svg.append(svgElement("path", { d: "M0 4H28" }));
  return svg;
}

// The plot, its legend and what is read off it; null where nothing was measured.
function makePlot(row, limit, width) {
  const series = seriesOf(row);
  if (series.length === 0) return null;
  const frame = plotFrame(series, limit.ulp, width);
  const svg = svgElement("svg", {
    class: "plot", viewBox: `0 0 ${frame.width} ${frame.height}`, role: "slider", tabindex: 0,
    "aria-label": `Largest error of ${row.f} ${row.t} in ulp by binade of the first operand`,
    "aria-valuemin": frame.first, "aria-valuemax": frame.last - 1, "aria-valuenow": frame.first,
  });
  drawAxes(svg, frame);
  if (limit.ulp !== 0.5) drawLevel(svg, frame, 0.5, "half", "½ ulp");
  if (limit.ulp !== null) drawLevel(svg, frame, limit.ulp, "limit", `limit ${limit.text}`);
  for (const one of series) drawSeries(svg, frame, one);
  const legend = element("p", { class: "legend" });
  for (const one of series) {
    legend.append(element("span", {}, sample(one.report), `${reports[one.report].letter} ${reports[one.report].label}`));
  }
  const readout = element("output", { class: "readout" }, "Point at the plot, or use ← and →, to read it.");
  addCursor(svg, frame, series, readout);
  return [legend, svg, readout];
}
