/* overview.js: all findings, campaigns and curves of a store. */
const COLORS = 8; /* --c0 to --c7 of style.css */
const IDIOMS = { 1: "one after the other", 2: "one in between two", 3: "two in between two", 4: "two variables, one after the other", 5: "two variables, crossed", 6: "two variables, same direction" };
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
    data.findings.map((f) => ({ cells: [f.page ? make("a", { href: f.page }, make("code", {}, f.id)) : make("code", {}, f.id), make("code", {}, f.program), words(f.title), String(f.times)] }))));
}

const link = (id) => { const f = data.findings.find((x) => x.id === id && x.page); return f ? make("a", { href: f.page }, make("code", {}, id)) : make("code", {}, id); };

/* A test is a program with its arguments; its last campaign says how it stands. */
function fillTests() {
  const tests = new Map();
  for (const c of data.campaigns) { /* newest first */
    const key = JSON.stringify([c.program, c.args]);
    const t = tests.get(key) || { program: c.program, args: c.args, last: c, campaigns: 0, runs: 0, found: new Set() };
    t.campaigns++;
    t.runs += c.runs;
    c.findings.forEach((id) => t.found.add(id));
    tests.set(key, t);
  }
  if (!tests.size) { get("tests").append(make("p", { class: "dim" }, "None is remembered.")); return; }
  const state = (t) => t.found.size ? make("span", {}, ...[...t.found].flatMap((id) => [link(id), " "]))
    : t.last.runs ? make("span", { class: "badge good" }, t.last.ended ? "nothing found" : "nothing found, was stopped") : make("span", { class: "badge" }, "not tested");
  get("tests").append(table([{ text: "test" }, { text: "result" }, { text: "runs", num: true }, { text: "campaigns", num: true }, { text: "last" }],
    [...tests.values()].map((t) => ({ cells: [make("code", {}, t.program + (t.args ? " " + t.args : "")), state(t), t.runs.toLocaleString("en"), String(t.campaigns), day(t.last.started)] }))));
}

/* In the campaigns of each program, the reason with most campaigns first. */
function fillUncontrolled() {
  const rows = new Map();
  for (const c of data.campaigns)
    for (const what of c.uncontrolled) {
      const key = JSON.stringify([c.program, what]), r = rows.get(key) || { program: c.program, what, n: 0 };
      r.n++;
      rows.set(key, r);
    }
  const of = (program) => data.campaigns.filter((c) => c.program === program).length;
  if (!rows.size) { get("uncontrolled").append(make("p", {}, make("span", { class: "badge good" }, "nothing"), data.campaigns.length ? " All threads, time and input of the programs were under control in every campaign." : " No campaign is remembered.")); return; }
  get("uncontrolled").append(table([{ text: "what" }, { text: "program" }, { text: "campaigns", num: true }],
    [...rows.values()].sort((a, b) => b.n - a.n).map((r) => ({ cells: [r.what, make("code", {}, r.program), `${r.n} of ${of(r.program)}`] }))));
}

function fillCampaigns() {
  if (!data.campaigns.length) { get("campaigns").append(make("p", { class: "dim" }, "None is remembered.")); return; }
  get("campaigns").append(table([{ text: "started" }, { text: "program" }, { text: "arguments" }, { text: "strategy" }, { text: "runs", num: true }, { text: "seconds", num: true }, { text: "" }],
    data.campaigns.map((c) => ({ cells: [day(c.started), c.program, make("code", {}, c.args), c.strategy, c.runs.toLocaleString("en"), round(c.seconds), c.ended ? "" : "was stopped"] }))));
}

/* The point at which a curve grew last. */
function lastGrowth(l) {
  let k = l.points.length - 1;
  while (k > 0 && l.points[k - 1][1] === l.points[k][1]) k--;
  return l.points[k];
}

function flat(l) {
  const n = l.points.length;
  if (n < 2) return "";
  const runs = l.points[n - 1][0] - lastGrowth(l)[0];
  return runs >= 120 ? ` (saturated: nothing new in the last ${runs.toLocaleString("en")} runs)` : runs > 0 ? ` (nothing new in the last ${runs.toLocaleString("en")} runs)` : " (still growing)";
}

/* Runs on a logarithmic scale: most is new in the first ones. */
function plot(lines) {
  const W = 900, H = 280, L = 54, B = 26;
  const maxRun = Math.max(2, ...lines.flatMap((l) => l.points.map((p) => p[0] + 1))), maxY = Math.max(1, ...lines.flatMap((l) => l.points.map((p) => p[1])));
  const x = (run) => L + (Math.log(run + 1) / Math.log(maxRun + 1)) * (W - L - 10), y = (v) => H - B - (v / maxY) * (H - B - 22);
  const svg = make("svg", { class: "plot", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "covered elements over runs" });
  for (const part of [0, 0.5, 1]) {
    svg.append(make("line", { x1: L, x2: W - 10, y1: y(maxY * part), y2: y(maxY * part), stroke: "currentColor", opacity: 0.15 }));
    svg.append(make("text", { x: L - 6, y: y(maxY * part) + 4, "text-anchor": "end" }, round(maxY * part)));
  }
  for (let run = 1; run <= maxRun; run *= 10) svg.append(make("text", { x: x(run), y: H - 8, "text-anchor": "middle" }, run.toLocaleString("en")));
  lines.forEach((l, i) => {
    const [run, value] = lastGrowth(l), color = `var(--c${i % COLORS})`;
    const line = make("polyline", { points: l.points.map((p) => `${x(p[0])},${y(p[1])}`).join(" ") }, make("title", {}, l.metric));
    const dot = make("circle", { cx: x(run), cy: y(value), r: 4 }, make("title", {}, `${l.metric}: grew last in run ${run.toLocaleString("en")}`));
    line.style.stroke = dot.style.fill = color;
    svg.append(line, dot);
  });
  const legend = make("p", {}, ...lines.flatMap((l, i) => { const s = make("b", {}, "● "); s.style.color = `var(--c${i % COLORS})`; return [s, `${l.metric} ${l.points[l.points.length - 1][1].toLocaleString("en")}${flat(l)}`, make("br")]; }));
  return make("div", {}, svg, make("p", { class: "dim" }, "Covered elements over runs (logarithmic). A dot marks where a curve grew last."), legend);
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

/* One bar for each kind of order: tested, tried in vain, left to be tried. */
function share(c) {
  const all = c.covered + c.failed + c.predicted, bar = make("div", { class: "share", role: "img", "aria-label": `${c.covered} tested, ${c.failed} tried and not reached, ${c.predicted} left` });
  for (const [name, n] of [["tested", c.covered], ["vain", c.failed], ["left", c.predicted]]) {
    if (!n) continue;
    const part = make("span", { class: name, title: `${n} ${name === "vain" ? "tried, not reached" : name}` });
    part.style.flexGrow = n / all;
    bar.append(part);
  }
  return bar;
}

function fillCandidates() {
  if (!data.candidates.length) { get("candidates").append(make("p", { class: "dim" }, "None was predicted.")); return; }
  const key = (cls, text) => [make("span", { class: "share key" }, make("span", { class: cls })), ` ${text} `];
  get("candidates").append(make("p", { class: "dim" }, ...key("tested", "tested"), ...key("vain", "tried, not reached"), ...key("left", "left to be tried")));
  get("candidates").append(table([{ text: "program" }, { text: "kind of order" }, { text: "" }, { text: "tested", num: true }, { text: "tried, not reached", num: true }, { text: "left", num: true }],
    data.candidates.map((c) => ({ cells: [make("code", {}, c.program), `${c.idiom}: ${IDIOMS[c.idiom] || "idiom"}`, share(c), c.covered.toLocaleString("en"), c.failed.toLocaleString("en"), c.predicted.toLocaleString("en")] }))));
}
fillFindings();
fillTests();
fillUncontrolled();
fillCampaigns();
fillCurves();
fillCandidates();
