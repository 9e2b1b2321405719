// One function: its plot, histogram, worst inputs, failures and what went wrong beside.
const detail = document.getElementById("detail");

// The classes of error, by the thresholds of the counts; the first has everything up to 0.5.
const kThresholds = [0.5, 1, 2, 4, 8, 16];

function errorClasses(result) {
  const over = result.o;
  return [result.n - over[0], ...over.map((count, i) => count - (i + 1 < over.length ? over[i + 1] : 0))];
}

function classText(i) {
  if (i === 0) return `to ${kThresholds[0]}`;
  return i < kThresholds.length ? `${kThresholds[i - 1]} to ${kThresholds[i]}` : `over ${kThresholds[i - 1]}`;
}

// A bar as long as the logarithm of the count says: one input in a billion has to be seen.
function bar(count, all) {
  const share = count === 0 ? 0 : Math.max(0.02, Math.log10(count + 1) / Math.log10(all + 1));
  const svg = svgElement("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(svgElement("rect", { width: (100 * share).toFixed(1), height: 8 }));
  return svg;
}

// One row a device, one column a class.  `room`: pixels; without enough of them numbers are short.
function makeHistogram(row, limit, room) {
  const devices = state.devices.filter((report) => row.r[report] && row.r[report].o);
  if (devices.length === 0) return null;
  const classes = kThresholds.concat([Infinity]).map((upper, i) => {
    const lower = i === 0 ? 0 : kThresholds[i - 1];
    const counts = devices.map((report) => errorClasses(row.r[report])[i]);
    return { upper, counts, name: classText(i), has_limit: limit.ulp !== null && limit.ulp > lower && limit.ulp <= upper };
  });
  const needed = classes.reduce((sum, one) => sum + 14 + 8 * Math.max(...one.counts.map((count) => countText(count).length), 5), 60);
  const text = needed <= room ? countText : countShort;
  const ends = (one) => (one.has_limit && limit.ulp === one.upper ? "at-limit" : "");
  const head = element("tr", {}, element("th", { scope: "col" }, "ulp"), ...classes.map((one) => element("th", { scope: "col", class: ends(one) }, one.name,
    one.has_limit ? element("span", { class: "limit-mark" }, ` limit ${limit.ulp}`) : null)));
  const body = element("tbody", {}, ...devices.map((report, device) => element("tr", {},
    element("th", { scope: "row", title: reports[report].label }, swatch(report), reports[report].letter),
    ...classes.map((one) => element("td", { class: `${seriesClass(report)} ${ends(one)}`, title: countText(one.counts[device]) },
      bar(one.counts[device], row.r[report].n), element("span", {}, text(one.counts[device])))))));
  return [element("h3", {}, "Inputs by error"),
    element("div", { class: "scroll" }, element("table", { class: "histogram" }, element("thead", {}, head), body)),
    element("p", { class: "muted" }, "The largest error of each input over all widths. The bars are logarithmic.")];
}

// Reports that do not say where their errors are, with the command that makes one that does.
function makeLacking(row, shown) {
  return shown.filter((report) => row.r[report].p).map((report) => element("div", { class: "lacking" },
    element("p", {}, `${reports[report].letter} ${reports[report].label} has no errors by operand, because its report was written without --full. This makes one that has them:`),
    commandBox(row.r[report].p)));
}

function copyButton(text) {
  const button = element("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      // No clipboard without permission: the command is selected for the reader to copy.
      const range = document.createRange();
      range.selectNodeContents(button.nextElementSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

// A command to copy, broken between its words only.
function commandBox(command) {
  const words = command.split(/( +)/).map((part) => (part.startsWith(" ") ? part : element("span", { class: "word" }, part)));
  return element("div", { class: "command" }, copyButton(command), element("pre", {}, ...words));
}

function valueLine(name, value) {
  const [bits, hexadecimal, decimal] = value;
  return element("tr", {},
    element("th", { scope: "row" }, name), element("td", {}, element("code", {}, bits)),
    element("td", {}, element("code", {}, hexadecimal)), element("td", {}, element("code", {}, decimal)));
}

// [operands, observed, expected, ulp, width, lane, result, rule, command], as PageData writes it.
function makeSighting(title, sighting) {
  const [args, observed, expected, ulp, width, lane, result, rule, command] = sighting;
  const facts = [];
  if (ulp !== null) facts.push(ulp === "inf" ? "wrong class" : `${ulpText(ulp)} ulp`);
  if (data.rules[rule]) facts.push(data.rules[rule]);
  facts.push(width > 1 ? `vector width ${width}, lane ${lane}` : "width 1");
  if (result > 0) facts.push("second result");
  const values = element("tbody");
  args.forEach((arg, i) => values.append(valueLine(args.length > 1 ? `operand ${i + 1}` : "operand", arg)));
  values.append(valueLine("observed", observed), valueLine("expected", expected));
  return element("div", { class: "sighting" },
    element("h4", {}, `${title}: ${facts.join("; ")}`),
    element("div", { class: "scroll" }, element("table", { class: "values" }, values)),
    commandBox(command));
}

function makeFailures(row, report) {
  const result = row.r[report];
  const widths = result.i.map(([width, count]) => `${countText(count)} in width ${width}`).join(", ");
  const list = element("details", { open: result.s.length < 4 },
    element("summary", {}, result.s.length < result.c
      ? `The first ${result.s.length} of ${countText(result.c)} failures`
      : `${result.c} failure${result.c === 1 ? "" : "s"}`));
  result.s.forEach((sighting, i) => list.append(makeSighting(`${i + 1}`, sighting)));
  return [element("p", {}, `${countText(result.c)} of ${countText(result.a)} answers fail: ${widths}.`), list];
}

function makeDevice(row, report) {
  const result = row.r[report];
  const head = element("h3", {}, swatch(report), `${reports[report].letter} ${reports[report].label} `, verdictElement(row, report));
  const box = element("section", { class: "device" }, head);
  if (result.n) {
    const facts = [`${countText(result.n)} inputs${result.x ? ", every input there is" : ""}`, `${countText(result.a)} answers`];
    if (result.k) facts.push(result.k);
    if (result.u !== undefined) facts.push(result.u === "inf" ? "an answer of the wrong class" : `largest error ${ulpText(result.u)} ulp`);
    if (result.z) facts.push(`${countText(result.z)} flushed to zero, as 7.5.3 allows`);
    if (result.d) facts.push(`${countText(result.d)} conform as another computation that the table or a build option allows`);
    if (result.y) facts.push(`largest error with these ${result.y[3] === "inf" ? "of the wrong class" : `${ulpText(result.y[3])} ulp`}`);
    box.append(element("p", {}, `${facts.join("; ")}.`));
  }
  if (result.e) {
    const texts = result.e.map(([reading, verdict, failures]) => `${reading}: ${verdict.replace("_", " ")}${failures ? ` (${countText(failures)})` : ""}`);
    box.append(element("p", { class: "readings" }, `By the text of ${texts.join("; ")}.`));
  }
  for (const message of result.m || []) box.append(element("pre", { class: "trouble" }, message));
  if (result.h) box.append(element("p", { class: "unstable" }, `Not deterministic: ${countText(result.h)} answers came out another way when they were asked for again.`));
  // What a row fails by comes first, and then how far it errs where it conforms.
  const failing = shownSighting(result);
  if (failing && failing !== result.w) box.append(makeSighting("First failure", failing));
  if (result.w) box.append(makeSighting("Worst input", result.w));
  if (result.y) box.append(makeSighting("Worst flushed or derived answer", result.y));
  if (result.c) box.append(...makeFailures(row, report));
  for (const [reading, , , first] of result.e || []) {
    if (first) box.append(makeSighting(`First failure by ${reading}`, first));
  }
  return box;
}

function showDetail() {
  const row = data.rows.find((one) => rowKey(one) === state.open);
  detail.hidden = !row;
  document.body.classList.toggle("with-detail", Boolean(row));
  if (!row) {
    detail.replaceChildren();
    return;
  }
  const with_results = state.devices.filter((report) => row.r[report]);
  const limits = with_results.map((report) => limitOf(row.r[report]));
  const limit = limits.find((one) => one.ulp !== null) || limits[0] || { text: "", ulp: null, clause: "" };
  const close = element("button", { type: "button", class: "close", "aria-keyshortcuts": "Escape" }, "Close");
  close.addEventListener("click", closeDetail);
  detail.replaceChildren(element("div", { class: "title" }, element("h2", { id: "detail-title" }, `${row.f} ${row.t}`), close));
  detail.setAttribute("aria-label", `${row.f} ${row.t}`);
  if (with_results.length === 0) {
    detail.append(element("p", {}, "None of the devices shown has it."));
    return;
  }
  const note = limit.ulp === null ? ", which is no one number of ulp and is not drawn" : "";
  detail.append(element("p", {}, `Limit, ${state.profile} profile: ${limit.text || "none"}${note}. `,
    element("span", { class: "muted" }, limit.clause)));
  const plot = element("div", { class: "plot-box" });
  detail.append(plot);
  const parts = makePlot(row, limit, Math.max(300, plot.clientWidth || 640));
  const lacking = makeLacking(row, with_results);
  const nothing = element("p", { class: "muted" }, "No errors were measured: there is nothing to plot.");
  plot.append(...(parts || (lacking.length > 0 ? [] : [nothing])), ...lacking);
  detail.append(...makePlanes(row, limit));
  detail.append(...(makeHistogram(row, limit, plot.clientWidth) || []));
  const failing = (report) => verdictOf(row, report)?.name === "fail";
  for (const first of [true, false]) {
    detail.append(...with_results.filter((report) => failing(report) === first).map((report) => makeDevice(row, report)));
  }
}

function closeDetail() {
  const last = state.open;
  state.open = "";
  update();
  focusRow(last);
}
