// What is shown, kept in the address, so that a link shows the same.
const state = {
  text: "",
  verdict: "",
  why: "",
  format: "",
  group: "",
  sort: "",
  descending: false,
  different: false,
  profile: reports[0].run.profile,
  devices: reports.map((_, index) => index),
  open: "",
  theme: "",
};

function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  state.text = hash.get("q") || "";
  state.verdict = hash.get("verdict") || "";
  state.why = hash.get("why") || "";
  state.format = hash.get("format") || "";
  state.group = hash.get("kind") || "";
  state.sort = hash.get("sort") || "";
  state.descending = hash.has("descending");
  state.different = hash.has("different");
  state.profile = kProfiles.includes(hash.get("profile")) ? hash.get("profile") : reports[0].run.profile;
  const letters = (hash.get("devices") || "").split(",");
  const chosen = reports.map((_, index) => index).filter((i) => letters.includes(reports[i].letter));
  state.devices = chosen.length > 0 ? chosen : reports.map((_, index) => index);
  state.open = hash.get("f") || "";
  state.theme = ["light", "dark"].includes(hash.get("theme")) ? hash.get("theme") : "";
}

function addressOf(shown) {
  const hash = new URLSearchParams();
  if (shown.open) hash.set("f", shown.open);
  if (shown.text) hash.set("q", shown.text);
  if (shown.verdict) hash.set("verdict", shown.verdict);
  if (shown.why) hash.set("why", shown.why);
  if (shown.format) hash.set("format", shown.format);
  if (shown.group) hash.set("kind", shown.group);
  if (shown.sort) hash.set("sort", shown.sort);
  if (shown.descending) hash.set("descending", "1");
  if (shown.different) hash.set("different", "1");
  if (shown.profile !== reports[0].run.profile) hash.set("profile", shown.profile);
  if (shown.devices.length < reports.length) {
    hash.set("devices", shown.devices.map((i) => reports[i].letter).join(","));
  }
  if (shown.theme) hash.set("theme", shown.theme);
  return `#${hash}`;
}

// replaceState: the way back leads out of the page, not through every key of the filter.  Browsers
// refuse more than some hundred changes a minute, which a held arrow key makes.
const kAddressPause = 200; // milliseconds
let address_timer = 0;

function writeAddress() {
  clearTimeout(address_timer);
  address_timer = setTimeout(() => {
    const address = addressOf(state);
    if (address !== (location.hash || "#")) history.replaceState(null, "", address);
  }, kAddressPause);
}
