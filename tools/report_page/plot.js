// The largest error of each binade of the first operand, one line a device, on a logarithmic scale.
const kSvg = "http://www.w3.org/2000/svg";
const kLowest = 0.01; // smaller errors are drawn on the lower edge
const kHighest = 1e4; // larger ones, and wrong classes, in the band on top
const kLane = 3; // pixels from report to report in that band
const kNothing = -1; // in the data: no inputs in that step
const kWrongClass = -2;

function svgElement(tag, attributes, text) {
  const made = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// The larger of two errors: a wrong class is larger than any number.
function largerError(a, b) {
  if (a === kWrongClass || b === kWrongClass) return kWrongClass;
  return Math.max(a, b);
}

// Where things are: exponents across, decades upward, a band for what is beyond them.  Negative
// operands stand to the left of zero where there are any.
function plotFrame(series, limit, width) {
  const first = Math.min(...series.map((s) => s.first));
  const last = Math.max(...series.map((s) => s.first + s.step * s.positive.values.length));
  const all = series.flatMap((s) => [...s.positive.values, ...(s.negative ? s.negative.values : [])]);
  const numbers = all.filter((v) => v >= 0);
  const largest = Math.max(1, 2 * (limit || 0), ...numbers);
  const highest = Math.min(kHighest, 10 ** Math.ceil(Math.log10(largest)));
  const beyond = all.some((v) => v === kWrongClass || v > highest);
  const left = 72, right = width - 40, top = beyond ? Math.max(34, 22 + kLane * series.length) : 14, bottom = top + 232;
  const decades = Math.log10(highest / kLowest);
  const both = series.some((s) => s.negative);
  const middle = both ? (left + right) / 2 : left;
  const gap = both ? 4 : 0;
  return {
    first, last, left, right, top, bottom, highest, beyond, width, both, middle,
    height: bottom + 46,
    // `sign` is 1 or -1.
    x: (exponent, sign) => middle + sign * (gap + ((exponent - first) / (last - first)) * (right - middle - gap)),
    y: (ulp) => bottom - (Math.log10(Math.max(ulp, kLowest) / kLowest) / decades) * (bottom - top),
  };
}

function signedPower(exponent, sign) {
  return `${sign < 0 ? "−" : ""}${powerText(2, exponent)}`;
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
  const wanted = (frame.last - frame.first) / Math.max(3, (frame.right - frame.middle) / 56);
  const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].find((s) => s >= wanted) || 1024;
  for (const sign of frame.both ? [-1, 1] : [1]) {
    for (let e = Math.ceil(frame.first / step) * step; e <= frame.last; e += step) {
      const x = frame.x(e, sign);
      svg.append(svgElement("line", { class: "grid", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 4 }));
      svg.append(svgElement("text", { class: "tick", x, y: frame.bottom + 18, "text-anchor": "middle" }, signedPower(e, sign)));
    }
  }
  if (frame.both) {
    svg.append(svgElement("line", { class: "zero", x1: frame.middle, x2: frame.middle, y1: frame.top, y2: frame.bottom }));
  }
  svg.append(svgElement("text", { class: "axis", x: (frame.left + frame.right) / 2, y: frame.height - 8, "text-anchor": "middle" },
    frame.both ? "first operand: negative to the left, positive to the right" : "magnitude of the first operand"));
  const middle = (frame.top + frame.bottom) / 2;
  svg.append(svgElement("text", { class: "axis", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, "largest error in ulp"));
}

function drawLevel(svg, frame, ulp, cls, text) {
  const y = frame.y(Math.min(ulp, frame.highest));
  svg.append(svgElement("line", { class: cls, x1: frame.left, x2: frame.right, y1: y, y2: y }));
  // The limit is named inside, where its name has room; half an ulp in the margin, where no line is.
  const inside = cls === "limit";
  svg.append(svgElement("text", { class: `${cls}-text`, x: frame.right + (inside ? 0 : 4), y: y + (inside ? -4 : 4), "text-anchor": inside ? "end" : "start" }, text));
}

// One half of a line.  A dot stands where the largest error was seen in a vector width only.
function drawHalf(svg, frame, series, half, sign) {
  let path = "", marks = "", drawing = false;
  const cls = `series ${seriesClass(series.report)}`;
  half.values.forEach((value, i) => {
    const a = frame.x(series.first + i * series.step, sign), b = frame.x(series.first + (i + 1) * series.step, sign);
    // On the left the line is drawn from the middle outward.
    const from = a.toFixed(1), to = b.toFixed(1);
    let y;
    if (value === kWrongClass || value > frame.highest) {
      y = 16 + series.lane;
      const end = Math.abs(b - a) < 3 ? a + 3 * sign : b;
      marks += `M${from} ${y}H${end.toFixed(1)}`;
      drawing = false;
    } else if (value === kNothing) {
      drawing = false;
    } else {
      y = frame.y(value);
      path += `${drawing ? "L" : "M"}${from} ${y.toFixed(1)}H${to}`;
      drawing = true;
    }
    if (y !== undefined && half.widths[i] > 1) {
      svg.append(svgElement("circle", { class: `wide ${seriesClass(series.report)}`, cx: ((a + b) / 2).toFixed(1), cy: y.toFixed(1), r: 2.5 }));
    }
  });
  if (path) svg.append(svgElement("path", { class: cls, d: path }));
  if (marks) svg.append(svgElement("path", { class: `${cls} beyond`, d: marks }));
}

function drawSeries(svg, frame, series) {
  drawHalf(svg, frame, series, series.positive, 1);
  if (series.negative) drawHalf(svg, frame, series, series.negative, -1);
}

function stepText(series, exponent, sign) {
  const i = Math.floor((exponent - series.first) / series.step);
  const half = sign < 0 ? series.negative : series.positive;
  const value = half?.values[i];
  const letter = reports[series.report].letter;
  if (value === undefined || value === kNothing) return `${letter} no input`;
  const width = half.widths[i] > 1 ? ` in width ${half.widths[i]}` : "";
  return `${letter} ${value === kWrongClass ? "wrong class" : `${value} ulp`}${width}`;
}

// Pointer and arrow keys read the values of one step off the plot.
function addCursor(svg, frame, series, readout) {
  const step = Math.max(...series.map((s) => s.step));
  const line = svgElement("line", { class: "cursor", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  svg.append(line);
  const half = Math.ceil((frame.last - frame.first) / step);
  // From left to right: the negative steps from the largest magnitude inward, then the positive ones.
  const steps = frame.both ? 2 * half : half;
  const signOf = (index) => (frame.both && index < half ? -1 : 1);
  const placeOf = (index) => (frame.both ? (index < half ? half - 1 - index : index - half) : index);
  const one = Math.min(half - 1, Math.max(0, Math.floor(-frame.first / step))); // the step of 1
  let at = frame.both ? half + one : one;
  const show = (index) => {
    at = Math.max(0, Math.min(steps - 1, index));
    const exponent = frame.first + placeOf(at) * step, sign = signOf(at);
    const x = frame.x(exponent + step / 2, sign);
    for (const [name, value] of [["x1", x], ["x2", x], ["visibility", "visible"]]) line.setAttribute(name, value);
    const range = step > 1 ? ` to ${signedPower(Math.min(exponent + step, frame.last), sign)}` : "";
    const text = `${signedPower(exponent, sign)}${range}: ${series.map((s) => stepText(s, exponent, sign)).join(", ")}`;
    readout.textContent = text;
    svg.setAttribute("aria-valuenow", at);
    svg.setAttribute("aria-valuetext", text);
  };
  svg.setAttribute("aria-valuemin", 0);
  svg.setAttribute("aria-valuemax", steps - 1);
  svg.setAttribute("aria-valuenow", at);
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

// Reports of earlier versions know no signs: beside one of them all are drawn by magnitude.
function seriesOf(row) {
  const shown = state.devices.filter((report) => row.r[report] && row.r[report].b);
  const signed = shown.every((report) => row.r[report].b.length > 4);
  const hasInput = (values) => values.some((value) => value !== kNothing);
  const anyNegative = signed && shown.some((report) => hasInput(row.r[report].b[4]));
  return shown.map((report, lane) => {
    const [first, step, values, widths, negatives, negative_widths] = row.r[report].b;
    const series = { report, first, step, lane: lane * kLane, positive: { values, widths }, negative: null };
    if (anyNegative) {
      series.negative = { values: negatives, widths: negative_widths };
    } else if (negatives) {
      series.positive = {
        values: values.map((value, i) => largerError(value, negatives[i])),
        widths: values.map((value, i) => (largerError(value, negatives[i]) === value ? widths[i] : negative_widths[i])),
      };
    }
    return series;
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
  });
  drawAxes(svg, frame);
  if (limit.ulp !== 0.5) drawLevel(svg, frame, 0.5, "half", "½ ulp");
  if (limit.ulp !== null) drawLevel(svg, frame, limit.ulp, "limit", `limit ${limit.text}`);
  for (const one of series) drawSeries(svg, frame, one);
  const legend = element("p", { class: "legend" });
  for (const one of series) {
    legend.append(element("span", {}, sample(one.report), `${reports[one.report].letter} ${reports[one.report].label}`));
  }
  const wide = series.some((s) => [s.positive, s.negative].some((half) => half?.widths.some((w) => w > 1)));
  if (wide) legend.append(element("span", { class: "muted" }, "● largest error in a vector width, not in width 1"));
  const readout = element("output", { class: "readout" }, "Point at the plot, or use ← and →, to read it.");
  addCursor(svg, frame, series, readout);
  return [legend, svg, readout];
}
