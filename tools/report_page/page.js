// Puts the page together: devices, changes, filters, keys.
const byId = (id) => document.getElementById(id);

function versionText(report) {
  const { device, run } = report;
  const parts = [`level ${run.level}`, ...(run.range ? [`range ${run.range}`] : []), `seed ${run.seed}`, `${run.profile} profile`];
  if (run.math !== "default") parts.push(`math ${run.math}`);
  if (run.rounding) parts.push(`rounding ${run.rounding}`);
  if (run.build_options) parts.push(run.build_options);
  if (report.interrupted) parts.push("interrupted");
  if (run.origin) parts.push(`measured ${[run.origin.date, run.origin.host].filter((text) => text).join(" on ")}`);
  if (device.program) parts.unshift(`programs given as ${device.program}`);
  return [device.device_version.trim(), parts.join(", ")].filter((text) => text).join("; ");
}

function counts(report) {
  const number = [0, 0, 0, 0];
  for (const row of data.rows) {
    const result = row.r[report];
    if (result) number[result.v[profileIndex()]] += 1;
  }
  return number;
}

function deviceLine(report, index) {
  const box = element("input", { type: "checkbox", id: `show-${index}`, "aria-label": `Show ${report.letter}` });
  box.checked = state.devices.includes(index);
  box.addEventListener("change", () => {
    const chosen = reports.map((_, i) => i).filter((i) => (i === index ? box.checked : state.devices.includes(i)));
    if (chosen.length > 0) state.devices = chosen; // the last one stays
    update();
    byId(`show-${index}`)?.focus();
  });
  const label = element("label", { for: `show-${index}` }, swatch(index), `${report.letter} ${report.label}`);
  const command = report.run.origin?.command;
  const line = element("tr", {}, element("th", { scope: "row" }, reports.length > 1 ? box : null, label),
    element("td", { class: "name" }, element("div", {}, report.title), element("div", { class: "muted" }, versionText(report)),
      command ? element("div", { class: "muted" }, element("code", {}, command)) : null));
  counts(index).forEach((count, verdict) => {
    const cls = count === 0 ? "muted count" : `count ${kVerdicts[verdict].name}`;
    line.append(element("td", { class: cls, "data-label": kVerdicts[verdict].text }, countText(count)));
  });
  return line;
}

function showOverview() {
  const head = element("tr", {}, element("th", { scope: "col" }, "report"), element("th", { scope: "col" }, "device"));
  for (const verdict of kVerdicts) head.append(element("th", { scope: "col", class: "count" }, verdict.text));
  const list = element("table", { class: "devices" }, element("thead", {}, head), element("tbody", {}, ...reports.map(deviceLine)));
  const notes = data.notes.map((note) => element("li", {}, note));
  if (reports.some((_, index) => state.devices.includes(index) && !isMeasured(index))) {
    notes.push(element("li", { id: "derived-note" },
      `Verdicts marked “derived”, or “d” beside a sign, were not measured under the ${state.profile} profile: they follow from the errors that were measured under the other one and from this profile's limits. Where that decides nothing they are “not measured”.`));
  }
  if (layout().marks) {
    notes.push(element("li", { id: "signs-note" }, "Verdicts as signs: ✓ pass, ✕ fail, – unsupported, ? not measured, · not in the report."));
  }
  byId("overview").replaceChildren(element("div", { class: "scroll" }, list),
    ...(notes.length > 0 ? [element("ul", { class: "notes" }, ...notes)] : []));
}

function sideText(side) {
  if (!side) return "–";
  return `${side.verdict.replace("_", " ")}${side.max_ulp === null ? "" : `, ${ulpText(side.max_ulp)} ulp`}`;
}

function newFailures(commands) {
  if (commands.length === 0) return "";
  return element("details", {}, element("summary", {}, String(commands.length)),
    ...commands.map(commandBox));
}

function changeLine(change) {
  const key = `${change.function}.${change.format}`;
  return element("tr", {},
    element("th", { scope: "row" }, element("a", { href: `#f=${encodeURIComponent(key)}`, "data-key": key }, `${change.function} ${change.format}`)),
    element("td", {}, change.change), element("td", {}, sideText(change.before)), element("td", {}, sideText(change.after)),
    element("td", {}, newFailures(change.new_failures)));
}

function changeBox(pair) {
  const before = reports[pair.before], after = reports[pair.after];
  const number = new Map();
  for (const change of pair.changes) number.set(change.change, (number.get(change.change) || 0) + 1);
  const sums = [...number].map(([kind, count]) => `${count} ${kind}`).join(", ") || "no difference";
  const title = `From ${before.letter} ${before.label} to ${after.letter} ${after.label}: ${sums}`;
  const box = element("details", {}, element("summary", {}, title));
  if (pair.changes.length === 0) return box;
  const head = element("tr", {});
  for (const text of ["function", "change", "before", "after", "new failing inputs"]) head.append(element("th", { scope: "col" }, text));
  box.append(element("div", { class: "scroll" },
    element("table", { class: "changes" }, element("thead", {}, head), element("tbody", {}, ...pair.changes.map(changeLine)))));
  return box;
}

function showChanges() {
  const boxes = data.changes.map(changeBox);
  if (boxes.length > 0) boxes.unshift(element("h2", {}, "Changes between versions"));
  byId("changes").replaceChildren(...boxes);
}

function fillSelect(select, options) {
  select.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
}

function makeControls() {
  const reasons = new Map();
  for (const row of data.rows) {
    for (const reason of new Set(row.r.map(reasonOf))) if (reason) reasons.set(reason, (reasons.get(reason) || 0) + 1);
  }
  fillSelect(byId("why"), [["", "all"], ...[...reasons].sort((a, b) => b[1] - a[1]).map(([reason, count]) => [reason, `${reason} (${count})`])]);
  fillSelect(byId("verdict"), [["", "all"], ...kVerdicts.map((verdict) => [verdict.name, verdict.text])]);
  for (const [id, key] of [["format", "t"], ["group", "g"]]) {
    const values = [...new Set(data.rows.map((row) => row[key]))];
    fillSelect(byId(id), [["", "all"], ...values.map((value) => [value, value])]);
  }
  byId("different-label").hidden = reports.length < 2;
  for (const profile of kProfiles) {
    const box = element("input", { type: "radio", name: "profile", value: profile });
    box.addEventListener("change", () => { state.profile = profile; update(); });
    byId("profiles").append(element("label", {}, box, profile));
  }
  const bind = (id, key, event, value) => byId(id).addEventListener(event, () => {
    state[key] = value(byId(id));
    update();
  });
  bind("filter", "text", "input", (field) => field.value);
  for (const [id, key] of [["verdict", "verdict"], ["why", "why"], ["format", "format"], ["group", "group"], ["sort", "sort"]]) {
    bind(id, key, "change", (field) => field.value);
  }
  bind("descending", "descending", "change", (field) => field.checked);
  bind("different", "different", "change", (field) => field.checked);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("theme").addEventListener("click", () => {
    state.theme = { "": "dark", dark: "light", light: "" }[state.theme];
    update();
  });
  byId("help-button").addEventListener("click", () => byId("help").showModal());
}

function showControls() {
  byId("filter").value = state.text;
  byId("verdict").value = state.verdict;
  byId("why").value = state.why;
  byId("format").value = state.format;
  byId("group").value = state.group;
  const titles = allColumns().map((column) => [column.key,
    column.report === undefined || state.devices.length === 1 ? column.title : `${reports[column.report].letter} ${column.title}`]);
  fillSelect(byId("sort"), [["", "failures first"], ["report", "report order"], ...titles]);
  byId("sort").value = state.sort;
  for (const select of document.querySelectorAll("#filters select")) select.classList.toggle("chosen", select.value !== "");
  byId("descending").checked = state.descending;
  byId("different").checked = state.different;
  byId("different").disabled = state.devices.length < 2;
  for (const box of document.querySelectorAll('input[name="profile"]')) box.checked = box.value === state.profile;
  byId("theme").textContent = `Theme: ${state.theme || "system"}`;
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
}

function update() {
  writeAddress();
  showControls();
  showOverview();
  showTable();
  showDetail();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox]):not([type=radio]), select, textarea");
  if (event.key === "Escape" && state.open && !byId("help").open) {
    closeDetail();
  } else if (event.key === "/" && !typing) {
    event.preventDefault();
    byId("filter").focus();
  } else if (event.key === "?" && !typing) {
    event.preventDefault();
    if (byId("help").open) byId("help").close();
    else byId("help").showModal();
  } else if (event.key === "ArrowDown" && event.target === byId("filter")) {
    event.preventDefault();
    table.querySelector('a[tabindex="0"]')?.focus();
  }
}

function onAddress() {
  const open = state.open;
  readAddress();
  update();
  if (state.open && state.open !== open) {
    table.querySelector(".current")?.scrollIntoView({ block: "center" });
    detail.focus({ preventScroll: true });
  }
}

function start() {
  const names = reports.map((report) => report.label).join(", ");
  document.title = `Numerical conformance: ${names}`;
  const runs = [...new Set(reports.map((report) => `${report.run.tool}, exact values by ${report.run.truth}`))];
  byId("summary").textContent = `OpenCL numerical compliance, measured with ${runs.join("; ")}.`;
  makeControls();
  showChanges();
  onAddress();
  addEventListener("hashchange", onAddress);
  addEventListener("keydown", onKey);
  byId("changes").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault(); // a link alone would also drop the filters
    openRow(link.dataset.key);
    detail.focus();
  });
  table.addEventListener("keydown", onTableKey);
  table.addEventListener("click", onTableClick);
  // On paper nothing can be unfolded.
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });
  // The panel begins where the bar of filters ends.
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--bar", `${byId("filters").offsetHeight}px`);
  }).observe(byId("filters"));
  // A plot has as many pixels as its place.
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    showTable();
    fitTable();
    if (state.open) showDetail();
  });
  document.documentElement.dataset.ready = "1";
}

start();
