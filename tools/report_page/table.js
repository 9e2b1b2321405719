// The table of functions: sorted, filtered, and walked through with the arrow keys.
const table = document.getElementById("table");
let lines = []; // {row, line, link}, in the order of the data

// Beside the panel there is room for half of the table.
const kPanelBeside = matchMedia("(min-width: 75rem)");

function layout() {
  const narrow = Boolean(state.open) && kPanelBeside.matches;
  const devices = state.devices.length;
  // Of many devices the verdicts are signs.
  return { narrow, devices, marks: devices > (narrow ? 1 : 3) };
}

function deviceColumns(report, { narrow, devices, marks }) {
  const letter = reports[report].letter;
  const isFailing = (row) => verdictOf(row, report)?.name === "fail";
  return [
    { key: `ulp-${letter}`, title: "max ulp", report, shown: !(narrow && devices > 3), of: (row) => ulpValue(row.r[report]?.u),
      cell: (row) => element("td", { class: isFailing(row) ? "ulp failing" : "ulp", "data-label": letter }, ulpText(row.r[report]?.u)) },
    { key: `verdict-${letter}`, title: "verdict", head: marks ? (narrow && devices > 3 ? letter : "ok") : "verdict", report, shown: true,
      of: (row) => verdictOf(row, report)?.order ?? 4, cell: (row) => verdictElement(row, report, "td", marks) },
  ];
}

// All columns, by which can be sorted; `shown`: there is room for it.
function allColumns() {
  const { narrow, devices, marks } = layout();
  const only = state.devices[0];
  const address = (row) => addressOf({ ...state, open: rowKey(row) });
  const list = [
    { key: "name", title: "function", shown: true, of: (row) => row.f,
      cell: (row) => element("th", { scope: "row" }, element("a", { href: address(row), tabindex: -1 }, row.f)) },
    { key: "format", title: "format", shown: true, of: (row) => row.t, cell: (row) => element("td", { class: "format" }, row.t) },
    { key: "limit", title: "limit", shown: !narrow, of: (row) => Math.max(...row.r.map((r) => (r ? limitOf(r).ulp ?? 1e9 : 0))),
      cell: (row) => element("td", { class: "limit-cell" }, limitText(row)) },
    ...state.devices.flatMap((report) => deviceColumns(report, { narrow, devices, marks })),
    { key: "why", title: "why", shown: devices === 1 || (devices < 4 && !narrow), of: (row) => reasonsText(row, state.devices),
      cell: (row) => element("td", { class: "why" }, devices === 1 ? whyText(row.r[only]) : reasonsText(row, state.devices)) },
  ];
  if (devices > 1) return list;
  const sighting = (row) => shownSighting(row.r[only]);
  list.push({ key: "worst", title: "input", shown: !narrow, of: (row) => inputText(sighting(row)),
    cell: (row) => element("td", { class: "worst" }, element("code", { title: inputBits(sighting(row)) }, inputText(sighting(row)))) });
  list.push({ key: "inputs", title: "inputs", shown: !narrow, of: (row) => row.r[only]?.n || 0,
    cell: (row) => element("td", { class: "inputs" }, row.r[only]?.n ? countText(row.r[only].n) : "") });
  return list;
}

const columns = () => allColumns().filter((column) => column.shown);

function headCell(column) {
  const sorted = state.sort === column.key;
  const button = element("button", { type: "button", "aria-label": column.title }, column.head ?? column.title,
    element("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (state.descending ? " ▼" : " ▲") : ""));
  button.addEventListener("click", () => {
    // Errors are looked at from the largest down.
    state.descending = sorted ? !state.descending : column.title === "max ulp";
    state.sort = column.key;
    update();
    table.querySelector(`th[data-key="${column.key}"] button`)?.focus();
  });
  return element("th", {
    scope: "col", "data-key": column.key, class: column.title.replace(" ", "-"),
    title: column.report === undefined ? undefined : `${reports[column.report].letter} ${reports[column.report].label}: ${column.title}`,
    "aria-sort": sorted ? (state.descending ? "descending" : "ascending") : "none",
  }, button);
}

// Above the columns of several devices, their names; where there is no room, their letters.
function makeGroups(shown) {
  const before = shown.findIndex((column) => column.report !== undefined);
  const groups = element("tr", { class: "groups" }, element("td", { colspan: before }));
  for (const report of state.devices) {
    const { letter, label, title } = reports[report];
    const width = shown.filter((column) => column.report === report).length;
    groups.append(element("th", { colspan: width, scope: "colgroup", title: `${label}: ${title}` },
      element("div", {}, swatch(report), letter, ...(state.devices.length > 3 ? [] : [" ", element("span", { class: "muted" }, label)]))));
  }
  const after = shown.filter((column) => column.report === undefined).length - before;
  if (after > 0) groups.append(element("td", { colspan: after }));
  return groups;
}

function makeHead() {
  const shown = columns();
  const head = element("thead");
  const { narrow, devices } = layout();
  // Columns of one sign each have their letter as the head.
  if (devices > 1 && !(narrow && devices > 3)) head.append(makeGroups(shown));
  head.append(element("tr", {}, ...shown.map(headCell)));
  return head;
}

function makeLine(row, shown) {
  const line = element("tr", { "data-key": rowKey(row) }, ...shown.map((column) => column.cell(row)));
  return { row, line, link: line.querySelector("a") };
}

// Do the shown devices disagree about the verdict, or about the error?
function isDifferent(row) {
  const present = state.devices.map((report) => row.r[report]);
  const key = (result) => (result ? `${result.v[profileIndex()]} ${ulpText(result.u)}` : "absent");
  return new Set(present.map(key)).size > 1;
}

function isShown(row) {
  const words = state.text.toLowerCase().split(/\s+/).filter((word) => word);
  const name = `${row.f} ${row.t} ${limitText(row)}`.toLowerCase();
  if (!words.every((word) => name.includes(word))) return false;
  if (state.format && row.t !== state.format) return false;
  if (state.group && row.g !== state.group) return false;
  if (state.why && !state.devices.some((report) => reasonOf(row.r[report]) === state.why)) return false;
  if (state.verdict && !state.devices.some((report) => verdictOf(row, report)?.name === state.verdict)) return false;
  return !state.different || isDifferent(row);
}

// What fails on any of the devices that are shown comes first, then what was not measured on one.
function gravity(row) {
  const names = state.devices.map((report) => verdictOf(row, report)?.name);
  const found = ["fail", "not_measured", "pass"].findIndex((name) => names.includes(name));
  return found < 0 ? 3 : found;
}

function sortedLines() {
  if (state.sort === "report") return lines;
  const column = allColumns().find((one) => one.key === state.sort);
  const keyed = lines.map((line, place) => ({ line, place, key: column ? column.of(line.row) : gravity(line.row) }));
  const sign = column && state.descending ? -1 : 1;
  keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.place - b.place));
  return keyed.map((one) => one.line);
}

// What the lines and their order were made of: only what changes is made anew, because the table can
// have a thousand lines and the filter changes with every key.
let made_of = "";
let ordered_by = "";

function orderTable() {
  const lines_key = JSON.stringify([state.devices, state.profile, layout()]);
  const order_key = JSON.stringify([lines_key, state.sort, state.descending]);
  if (lines_key !== made_of) {
    const shown = columns();
    lines = data.rows.map((row) => makeLine(row, shown));
  }
  made_of = lines_key;
  if (order_key === ordered_by) return;
  ordered_by = order_key;
  const body = element("tbody", {}, ...sortedLines().map((one) => one.line));
  table.querySelector("thead")?.remove();
  table.querySelector("tbody")?.remove();
  table.append(makeHead(), body);
  table.dataset.marks = layout().marks ? "1" : "";
  fitTable();
}

// A table that fits has its head in sight; one that does not is moved sideways in its own box.
function fitTable() {
  const box = byId("scroll");
  box.classList.remove("overflows");
  box.classList.toggle("overflows", table.offsetWidth > box.clientWidth + 1);
}

function showTable() {
  orderTable();
  let shown = 0;
  for (const { row, line } of lines) {
    line.hidden = !isShown(row);
    if (!line.hidden) shown += 1;
    line.classList.toggle("current", rowKey(row) === state.open);
  }
  makeReachable(table.querySelector("tbody .current:not([hidden]) a") || table.querySelector("tbody tr:not([hidden]) a"));
  document.getElementById("shown").textContent =
    shown === data.rows.length ? `${shown} operations` : `${shown} of ${data.rows.length} operations`;
}

// One link of the table is in the tab order; the arrow keys lead to the others.
function makeReachable(link) {
  for (const old of table.querySelectorAll('a[tabindex="0"]')) old.setAttribute("tabindex", -1);
  if (link) link.setAttribute("tabindex", 0);
}

function focusRow(key) {
  const found = lines.find((one) => rowKey(one.row) === key && !one.line.hidden);
  if (!found) return;
  makeReachable(found.link);
  found.link.focus();
}

function onTableKey(event) {
  const link = event.target.closest("tbody a");
  if (!link || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...table.querySelectorAll("tbody tr:not([hidden]) a")];
  const at = links.indexOf(link);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1, PageDown: at + 15, PageUp: at - 15 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = links[Math.max(0, Math.min(links.length - 1, to))];
  makeReachable(next);
  next.focus();
  if (state.open) openRow(next.closest("tr").dataset.key);
}

function openRow(key) {
  const was_open = state.open, had_focus = table.contains(document.activeElement);
  state.open = key;
  writeAddress();
  if (was_open) {
    for (const { row, line } of lines) line.classList.toggle("current", rowKey(row) === key);
  } else {
    document.body.classList.add("with-detail");
    showOverview();
    showTable(); // with the columns that have room
    if (had_focus) focusRow(key);
    table.querySelector(".current")?.scrollIntoView({ block: "nearest" });
  }
  showDetail();
  detail.scrollTop = 0;
}

function onTableClick(event) {
  const line = event.target.closest("tbody tr");
  if (!line || event.ctrlKey || event.metaKey || event.shiftKey || !getSelection().isCollapsed) return;
  event.preventDefault();
  const link = line.querySelector("a");
  makeReachable(link);
  link.focus({ preventScroll: true });
  openRow(line.dataset.key);
}
