/* overview.js: all findings, campaigns and curves of a store. */
const COLORS = ["#1f6feb", "#d2691e", "#2e8b57", "#8a63d2", "#c2185b", "#00838f", "#7a6a00", "#607d8b"];
const round = (x) => (x < 10 ? x.toFixed(1) : Math.round(x).toLocaleString("en"));
const day = (ms) => (ms ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : "");

data.campaigns.sort((a, b) => b.started - a.started);

function fillFindings() {
  get("about").textContent = `${data.campaigns.length} campaigns, ${data.campaigns.reduce((n, c) => n + c.runs, 0).toLocaleString("en")} runs, ${data.findings.length} finding${data.findings.length === 1 ? "" : "s"}. Folder ${data.dir}.`;
  if (!data.findings.length) { get("findings").append(make("p", {}, make("span", { class: "badge good" }, "none"), " No failure was found.")); return; }
  const classes = new Map();
  for (const f of data.findings) classes.set(f.kind, (classes.get(f.kind) || 0) + 1);
  get("findings").append(make("p", {}, ...[...classes].flatMap(([k, n]) => [make("span", { class: "badge" }, `${k} ${n}`), " "])));
  get("findings").append(table([{ text: "finding" }, { text: "program" }, { text: "what happened" }, { text: "seen", num: true }],
    data.findings.map((f) => ({ cells: [f.page ? make("a", { href: f.page }, make("code", {}, f.id)) : make("code", {}, f.id), f.program, words(f.title), String(f.times)] }))));
}

function fillCampaigns() {
  if (!data.campaigns.length) { get("campaigns").append(make("p", { class: "dim" }, "None is remembered.")); return; }
  get("campaigns").append(table([{ text: "started" }, { text: "program" }, { text: "arguments" }, { text: "strategy" }, { text: "runs", num: true }, { text: "seconds", num: true }, { text: "" }],
    data.campaigns.map((c) => ({ cells: [day(c.started), c.program, make("code", {}, c.args), c.strategy, c.runs.toLocaleString("en"), round(c.seconds), c.ended ? "" : "was stopped"] }))));
}

/* How long nothing new has come: the last point but one is where it grew last. */
function flat(l) {
  const n = l.points.length;
  if (n < 2) return "";
  const end = l.points[n - 1];
  let k = n - 1;
  while (k > 0 && l.points[k - 1][1] === end[1]) k--;
  const runs = end[0] - l.points[k][0];
  return runs >= 120 ? ` (saturated: nothing new in the last ${runs.toLocaleString("en")} runs)` : runs > 0 ? ` (nothing new in the last ${runs.toLocaleString("en")} runs)` : " (still growing)";
}

/* Runs on a logarithmic scale: most is new in the first ones. */
function plot(lines) {
  const W = 900, H = 280, L = 54, B = 26;
  const maxRun = Math.max(2, ...lines.flatMap((l) => l.points.map((p) => p[0] + 1))), maxY = Math.max(1, ...lines.flatMap((l) => l.points.map((p) => p[1])));
  const x = (run) => L + (Math.log(run + 1) / Math.log(maxRun + 1)) * (W - L - 10), y = (v) => H - B - (v / maxY) * (H - B - 12);
  const svg = make("svg", { class: "plot", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "covered elements over runs" });
  for (const part of [0, 0.5, 1]) {
    svg.append(make("line", { x1: L, x2: W - 10, y1: y(maxY * part), y2: y(maxY * part), stroke: "currentColor", opacity: 0.15 }));
    svg.append(make("text", { x: L - 6, y: y(maxY * part) + 4, "text-anchor": "end" }, round(maxY * part)));
  }
  for (let run = 1; run <= maxRun; run *= 10) svg.append(make("text", { x: x(run), y: H - 8, "text-anchor": "middle" }, run.toLocaleString("en")));
  lines.forEach((l, i) => svg.append(make("polyline", { stroke: COLORS[i % COLORS.length], points: l.points.map((p) => `${x(p[0])},${y(p[1])}`).join(" ") }, make("title", {}, l.metric))));
  const legend = make("p", {}, ...lines.flatMap((l, i) => { const s = make("b", {}, "● "); s.style.color = COLORS[i % COLORS.length]; return [s, `${l.metric} ${l.points[l.points.length - 1][1].toLocaleString("en")}${flat(l)}`, make("br")]; }));
  return make("div", {}, svg, legend);
}

function fillCurves() {
  let any = false;
  for (const c of data.campaigns) {
    if (!c.curves.length || c.curves.every((l) => l.points.length < 2)) continue;
    any = true;
    for (const l of c.curves) if (l.points.length) l.points.push([Math.max(c.runs - 1, 0), l.points[l.points.length - 1][1]]);
    get("curves").append(make("details", { open: c === data.campaigns[0] ? "" : null }, make("summary", {}, `${c.program} ${c.args} (${c.strategy}, ${day(c.started)})`), plot(c.curves.filter((l) => l.points.length))));
  }
  if (!any) get("curves").append(make("p", { class: "dim" }, "No campaign kept a curve."));
}

function fillCandidates() {
  if (!data.candidates.length) { get("candidates").append(make("p", { class: "dim" }, "None was predicted.")); return; }
  get("candidates").append(table([{ text: "program" }, { text: "kind of order" }, { text: "tested", num: true }, { text: "tried, not reached", num: true }, { text: "left", num: true }],
    data.candidates.map((c) => ({ cells: [c.program, "idiom " + c.idiom, String(c.covered), String(c.failed), String(c.predicted)] }))));
}
fillFindings();
fillCampaigns();
fillCurves();
fillCandidates();
