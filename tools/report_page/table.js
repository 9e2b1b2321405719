// The table of functions: sorted, filtered, and walked through with the arrow keys.
const table = document.getElementById("table");
let lines = []; // {row, line, link}, in the order of the data

function columns() {
  const list = [
    { key: "name", title: "function", of: (row) => row.f },
    { key: "format", title: "format", of: (row) => row.t },
    { key: "limit", title: "limit", of: (row) => Math.max(...row.r.map((r) => (r ? limitOf(r).ulp ?? 1e9 : 0))) },
  ];
  for (const report of state.devices) {
    const letter = reports[report].letter;
    list.push({ key: `ulp-${letter}`, title: "max ulp", report, of: (row) => ulpValue(row.r[report]?.u) });
    list.push({ key: `verdict-${letter}`, title: "verdict", report, of: (row) => verdictOf(row, report)?.order ?? 4 });
  }
  if (state.devices.length === 1) {
    const only = state.devices[0];
    list.push({ key: "why", title: "why", of: (row) => whyText(row.r[only]) });
    list.push({ key: "worst", title: "input", of: (row) => inputText(shownSighting(row.r[only])) });
    list.push({ key: "inputs", title: "inputs", of: (row) => row.r[only]?.n || 0 });
  }
  return list;
}

function headCell(column) {
  const sorted = state.sort === column.key;
  const button = element("button", { type: "button" }, column.title,
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
    "aria-sort": sorted ? (state.descending ? "descending" : "ascending") : "none",
  }, button);
}

function makeHead() {
  const head = element("thead");
  if (state.devices.length > 1) {
    const groups = element("tr", { class: "groups" }, element("td", { colspan: 3 }));
    for (const report of state.devices) {
      groups.append(element("th", { colspan: 2, scope: "colgroup", title: reports[report].title },
        element("div", {}, swatch(report), `${reports[report].letter} `, element("span", { class: "muted" }, reports[report].label))));
    }
    head.append(groups);
  }
  head.append(element("tr", {}, ...columns().map(headCell)));
  return head;
}

function deviceCells(row, report) {
  const label = reports[report].letter;
  const ulp = row.r[report]?.u;
  const verdict = verdictOf(row, report);
  const ulp_class = verdict?.name === "fail" ? "ulp failing" : "ulp";
  return [element("td", { class: ulp_class, "data-label": label }, ulpText(ulp)),
    verdictElement(row, report, "td")];
}

function makeLine(row) {
  const link = element("a", { href: addressOf({ ...state, open: rowKey(row) }), tabindex: -1 }, row.f);
  const line = element("tr", { "data-key": rowKey(row) },
    element("th", { scope: "row" }, link), element("td", {}, row.t), element("td", { class: "limit-cell" }, limitText(row)));
  for (const report of state.devices) line.append(...deviceCells(row, report));
  if (state.devices.length === 1) {
    const result = row.r[state.devices[0]];
    const sighting = shownSighting(result);
    line.append(element("td", { class: "why" }, whyText(result)),
      element("td", { class: "worst" }, element("code", { title: inputBits(sighting) }, inputText(sighting))),
      element("td", { class: "inputs" }, result?.n ? countText(result.n) : ""));
  }
  return { row, line, link };
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
  if (state.verdict && !state.devices.some((report) => verdictOf(row, report)?.name === state.verdict)) return false;
  return !state.different || isDifferent(row);
}

function sortedLines() {
  const column = columns().find((one) => one.key === state.sort);
  if (!column) return lines;
  const keyed = lines.map((line, place) => ({ line, place, key: column.of(line.row) }));
  const sign = state.descending ? -1 : 1;
  keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.place - b.place));
  return keyed.map((one) => one.line);
}

// What the lines and their order were made of: only what changes is made anew, because the table can
// have a thousand lines and the filter changes with every key.
let made_of = "";
let ordered_by = "";

function orderTable() {
  const lines_key = JSON.stringify([state.devices, state.profile]);
  const order_key = JSON.stringify([lines_key, state.sort, state.descending]);
  if (lines_key !== made_of) lines = data.rows.map(makeLine);
  made_of = lines_key;
  if (order_key === ordered_by) return;
  ordered_by = order_key;
  const body = element("tbody", {}, ...sortedLines().map((one) => one.line));
  table.querySelector("thead")?.remove();
  table.querySelector("tbody")?.remove();
  table.append(makeHead(), body);
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
  state.open = key;
  for (const { row, line } of lines) line.classList.toggle("current", rowKey(row) === key);
  writeAddress();
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
