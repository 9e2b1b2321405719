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

// Eight colors; after them the same with another dash.
function seriesClass(report) {
  return `series-${report % 8}${report < 8 ? "" : " again"}`;
}

function swatch(report) {
  return element("span", { class: `swatch ${seriesClass(report)}`, "aria-hidden": "true" });
}

// A span, or the table's own cell: thousands of them are laid out at a time.
function verdictElement(row, report, tag = "span") {
  const verdict = verdictOf(row, report);
  if (!verdict) return element(tag, { class: "verdict absent" }, "not asked");
  const shown = element(tag, { class: `verdict ${verdict.name}` }, verdict.text);
  if (!isMeasured(report)) shown.append(element("span", { class: "derived" }, " derived"));
  return shown;
}
