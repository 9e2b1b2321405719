// What the page shows, and how numbers are written.  Nothing here depends on the reader's locale.
const data = JSON.parse(document.getElementById("data").textContent);
const reports = data.reports;
const kProfiles = ["full", "embedded"];

// By number, as in the data; the order is that of sorting by verdict.  The style has a sign for each.
const kVerdicts = [
  { name: "pass", text: "pass", order: 3 },
  { name: "fail", text: "fail", order: 0 },
  { name: "unsupported", text: "unsupported", order: 2 },
  { name: "not_measured", text: "not measured", order: 1 },
];

// Text becomes text nodes only: a device may be called whatever it likes.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// 109 397 318, with narrow spaces that do not break.
function countText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// Where there is no room for all digits: 663k, 1.06M, 4.29G.
function countShort(count) {
  if (count < 1e5) return countText(count);
  const [unit, name] = count < 999500 ? [1e3, "k"] : count < 999.5e6 ? [1e6, "M"] : [1e9, "G"];
  return `${(count / unit).toPrecision(3)}${name}`;
}

function ulpText(ulp) {
  if (ulp === undefined || ulp === null) return "";
  if (ulp === "inf") return "∞";
  return ulp < 1e5 ? ulp.toFixed(3) : ulp.toExponential(2).replace("e+", "e");
}

function superscript(number) {
  return String(number).replace(/[-0-9]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
}

function powerText(base, exponent) {
  return base + superscript(exponent);
}

// Larger than any number: a wrong class; smaller than any: nothing measured.
function ulpValue(ulp) {
  if (ulp === "inf") return Infinity;
  return ulp === undefined || ulp === null ? -1 : ulp;
}

function profileIndex() {
  return kProfiles.indexOf(state.profile);
}

function isMeasured(report) {
  return reports[report].run.profile === state.profile;
}

function verdictOf(row, report) {
  const result = row.r[report];
  return result ? kVerdicts[result.v[profileIndex()]] : null;
}

// The text of the limit under the profile that is shown, and its number of ulp, or null.
function limitOf(result) {
  const limit = data.limits[result.l];
  return { text: limit[2 * profileIndex()], ulp: limit[2 * profileIndex() + 1], clause: limit[4] };
}

function limitText(row) {
  const texts = row.r.filter((result) => result).map((result) => limitOf(result).text);
  return [...new Set(texts.filter((text) => text))].join(" · ");
}

function rowKey(row) {
  return `${row.f}.${row.t}`;
}

// Twelve colors; after them the same with another dash.
const kColors = 12;
function seriesClass(report) {
  return `series-${report % kColors}${report < kColors ? "" : " again"}`;
}

// The answer that a row shows, as PageData writes it: the one with the largest error; of a row that
// fails, although that one conforms, the first that fails.
function shownSighting(result) {
  if (!result) return null;
  const explains = !result.s || result.s.length === 0 || (result.w && data.rules[result.w[7]]);
  return explains ? result.w || null : result.s[0];
}

// Why a row fails; empty where it does not.
function whyText(result) {
  if (!result || !result.s || result.s.length === 0) return result && result.h ? "not deterministic" : "";
  return data.rules[(shownSighting(result) || result.s[0])[7]];
}

// The same without the texts of the specification by which it fails: what the filter offers.
function reasonOf(result) {
  return whyText(result).split(", by ")[0];
}

// Of several reports, each reason with their letters: "A, C: error over the limit; B: wrong sign of zero".
function reasonsText(row, shown) {
  const letters = new Map();
  for (const report of shown) {
    const reason = reasonOf(row.r[report]);
    if (reason) letters.set(reason, [...(letters.get(reason) || []), reports[report].letter]);
  }
  return [...letters].map(([reason, of]) => (shown.length > 1 ? `${of.join(", ")}: ${reason}` : reason)).join("; ");
}

// An operand is [bits, hexadecimal float, decimal].
function inputText(sighting) {
  return sighting ? sighting[0].map((operand) => operand[2]).join(", ") : "";
}

function inputBits(sighting) {
  return sighting ? sighting[0].map((operand) => operand[0]).join(" ") : "";
}

function swatch(report) {
  return element("span", { class: `swatch ${seriesClass(report)}`, "aria-hidden": "true" });
}

// A span, or the table's own cell: thousands of them are laid out at a time.  `marks`: the sign alone
// is seen, and the word is read aloud.
function verdictElement(row, report, tag = "span", marks = false) {
  const verdict = verdictOf(row, report);
  const name = verdict ? verdict.name : "absent", text = verdict ? verdict.text : "not asked";
  const why = whyText(row.r[report]);
  const title = [marks ? `${reports[report].letter} ${reports[report].label}: ${text}` : "", why].filter((part) => part).join(", ");
  const shown = element(tag, { class: `verdict ${name}`, title: title || undefined, "data-label": reports[report].letter },
    marks ? element("span", { class: "unseen" }, text) : text);
  if (verdict && !isMeasured(report)) shown.append(element("span", { class: "derived" }, marks ? "d" : " derived"));
  return shown;
}
