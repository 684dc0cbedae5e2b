/* finding.js: one failing run as a picture that can be walked through.
 *
 * Rows are drawn only where they can be seen, so ten thousand are as quick as ten. `at` is the
 * row the reader stands at; everything else on the page follows from it. */
const S = (i) => (i === undefined || i < 0 ? "" : data.strings[i]);
const place = (i) => (i === undefined || i < 0 ? null : { fn: S(data.places[i][0]), file: S(data.places[i][1]), line: data.places[i][2] });
const placeText = (p) => (!p ? "" : (p.line > 0 ? p.file + ":" + p.line : p.file || "") + (p.fn ? " in " + p.fn + "()" : ""));
const shortPlace = (p) => (!p || !p.file ? "" : p.file.replace(/.*\//, "") + (p.line > 0 ? ":" + p.line : ""));
const rows = data.rows.map((r) => ({ ...r, is: S(r.is), does: S(r.does), class: S(r.class), place: place(r.at), caller: place(r.from), object: S(r.object), value: S(r.value) }));
const threadName = new Map(data.threads.map((t) => [t.tid, t.name]));
const columns = [...new Set(rows.filter((r) => r.tid !== undefined).map((r) => r.tid))].sort((a, b) => a - b);
const arrows = [];
for (let i = 0; i < data.arrows.length; i += 3) arrows.push({ from: data.arrows[i], to: data.arrows[i + 1], name: S(data.arrows[i + 2]) });
const stops = rows.map((r, i) => i).filter((i) => rows[i].is === "step" || rows[i].is === "end");
const oneFile = new Set(rows.filter((r) => r.place).map((r) => r.place.file)).size < 2;
const GUTTER = 54, FAR = 60, HEIGHTS = [15, 20, 26, 34];
let zoom = 2, at = 0;

/* ---- words ----------------------------------------------------------------------- */

function pairEvent(e, mark) {
  if (!e) return null;
  const p = place(e.at);
  return make("li", {}, mark ? make("b", {}, e.who) : e.who, ": " + e.does + (p ? " at " : ""), p ? make("code", {}, shortPlace(p)) : null, p && p.fn ? " in " + p.fn + "()" : null);
}

function fillPair() {
  const d = data.pair;
  if (!d) { get("pair").remove(); return; }
  const card = (cls, head, list) => make("div", { class: "card " + cls }, make("b", {}, head), make("ol", {}, ...list.filter(Boolean)));
  get("pair").append(
    card("bad", `Fails, ${d.fails} of ${d.fails_of} runs`, [pairEvent(d.before), pairEvent(d.first, true), pairEvent(d.second, true)]),
    card("good", `Passes, ${d.passes} of ${d.passes_of} runs`, [pairEvent(d.before), pairEvent(d.second, true), pairEvent(d.first, true)]));
}

function fillWords() {
  get("kind").textContent = (data.remark ? "remark: " : "") + data.kind;
  get("id").textContent = data.id;
  get("program").textContent = data.program;
  get("sentence").append(words(data.sentence));
  get("decided").append(words(data.decided));
  get("delay").append(words(data.delay));
  const shown = data.steps_shown < data.steps ? `${data.steps_shown} of ${data.steps} steps` : `${data.steps} steps`;
  get("shown").textContent = `${shown}, one column per thread, time runs down. Red frames: the steps named above. Arrows: what depends on what.`;
  get("text").textContent = data.text;
  if (data.replay) get("commands").append(copyable(data.replay), copyable(data.replay + " --gdb"));
  get("commands").append(make("p", { class: "dim" }, "To suppress it, a line in a file given with --suppressions:"), copyable("finding:" + data.id));
  for (const t of data.threads) {
    const made = place(t.created);
    const list = t.stack.map((i) => make("li", {}, make("code", {}, placeText(place(i)))));
    get("threads").append(make("details", { open: data.threads.length < 5 ? "" : null },
      make("summary", {}, make("b", {}, t.name), made ? " created at " + placeText(made) : ""), list.length ? make("ol", {}, ...list) : make("p", { class: "dim" }, "It had ended.")));
  }
  fillPair();
}

/* ---- the picture ------------------------------------------------------------------ */

const rowHeight = () => HEIGHTS[zoom];
const top = (i) => i * rowHeight() + 4;
let columnWidth = 150;
const left = (tid) => GUTTER + columns.indexOf(tid) * columnWidth;

function layOut() {
  const room = get("scroll").clientWidth - GUTTER - 4;
  columnWidth = Math.max(columns.length > 3 ? 130 : 110, Math.min(340, Math.floor(room / Math.max(1, columns.length))));
  const width = GUTTER + columns.length * columnWidth;
  get("canvas").style.width = get("heads").style.width = width + "px";
  get("canvas").style.height = rows.length * rowHeight() + 12 + "px";
  get("scroll").style.height = `min(68vh, 640px, ${rows.length * rowHeight() + 60}px)`;
  get("heads").replaceChildren(...columns.map((t) => {
    const e = make("span", { title: threadName.get(t) }, threadName.get(t) || "T" + t);
    e.style.left = left(t) + 4 + "px";
    e.style.width = columnWidth - 8 + "px";
    return e;
  }));
  draw();
}

function rowText(r) {
  if (r.is === "switch") return "— " + r.does + " —";
  if (r.is === "gap") return `… ${r.times} steps left out …`;
  if (r.is === "repeat") return `↑ these ${r.span} steps, ${r.times} times`;
  return r.does + (r.value ? " " + r.value : "") + (r.times > 1 ? ` (${r.times} times)` : "");
}

function rowTitle(r) {
  if (r.is !== "step" && r.is !== "end") return rowText(r);
  return (r.step !== undefined ? `step ${r.step}, ` : "") + `${threadName.get(r.tid) || ""}: ${rowText(r)}` +
    (r.place ? `\nat ${placeText(r.place)}` : "") + (r.caller ? `\ncalled from ${placeText(r.caller)}` : "");
}

/* The last step of each thread up to where the reader stands. */
function threadsAt() {
  const last = new Map();
  for (let i = 0; i <= at; i++) if ((rows[i].is === "step" || rows[i].is === "end") && rows[i].place) last.set(rows[i].tid, i);
  return last;
}

function drawRow(i, current) {
  const r = rows[i], out = [], h = rowHeight();
  const stands = r.is === "step" || r.is === "end";
  const e = make("div", { class: "row " + (stands ? `box ${r.is === "end" ? "end" : r.class}` : "note") +
    (r.key ? " key" : "") + (i === at ? " now" : "") + (current.get(r.tid) === i ? " at" : ""), title: rowTitle(r) });
  e.append(rowText(r));
  if (stands && r.place && r.place.line > 0 && columnWidth > 160) e.prepend(make("span", { class: "where" }, oneFile ? ":" + r.place.line : shortPlace(r.place)));
  e.style.top = top(i) + "px";
  e.style.height = h - 3 + "px";
  e.style.lineHeight = h - 5 + "px";
  e.style.fontSize = Math.min(13, h - 5) + "px";
  e.style.left = (r.tid === undefined ? GUTTER : left(r.tid) + 3) + "px";
  e.style.width = (r.tid === undefined ? 260 : columnWidth - 8) + "px";
  e.dataset.row = i;
  if (stands) e.onclick = () => goTo(i, true);
  out.push(e);
  if (r.step !== undefined) {
    const n = make("div", { class: "row number" }, String(r.step));
    n.style.top = top(i) + "px";
    n.style.fontSize = Math.min(12, h - 4) + "px";
    n.style.lineHeight = h - 3 + "px";
    out.push(n);
  }
  return out;
}

function arrowPath(a, cls) {
  const x = (i, right) => left(rows[i].tid) + (right ? columnWidth - 5 : 3);
  const goesRight = columns.indexOf(rows[a.to].tid) > columns.indexOf(rows[a.from].tid);
  const x1 = x(a.from, goesRight), x2 = x(a.to, !goesRight), h = rowHeight() / 2;
  const y1 = top(a.from) + h - 2, y2 = top(a.to) + h - 2, bend = (goesRight ? 1 : -1) * 14;
  return make("path", { class: cls, d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`, "marker-end": `url(#head-${cls})` },
    make("title", {}, a.name));
}

function draw() {
  const box = get("scroll"), h = rowHeight();
  const from = Math.max(0, Math.floor(box.scrollTop / h) - 20), to = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / h) + 20);
  const current = threadsAt(), svg = get("arrows"), items = [];
  for (let i = from; i < to; i++) items.push(...drawRow(i, current));
  const head = (cls) => make("marker", { id: "head-" + cls, class: cls, viewBox: "0 0 6 6", refX: 5.5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" }, make("path", { d: "M0,0L6,3L0,6z" }));
  const paths = [];
  const matters = (i) => i === at || rows[i].key; /* others would cross half of the run */
  for (const a of arrows)
    if (a.from < to && a.to >= from && (a.to - a.from < FAR || matters(a.from) || matters(a.to))) paths.push(arrowPath(a, "plain"));
  const p = data.pair;
  if (p && p.first && p.second && p.first.row !== undefined && p.second.row !== undefined && p.first.tid !== p.second.tid)
    paths.push(arrowPath({ from: p.first.row, to: p.second.row, name: "decides" }, "pair"));
  svg.setAttribute("width", get("canvas").style.width);
  svg.setAttribute("height", get("canvas").style.height);
  svg.replaceChildren(make("defs", {}, head("plain"), head("pair")), ...paths);
  get("canvas").replaceChildren(svg, ...items);
}

/* ---- source and values ------------------------------------------------------------- */

const files = new Map();
for (const f of data.files) {
  const lines = [];
  for (let i = 0; i < f.lines.length; i += 2) lines.push([f.lines[i], f.lines[i + 1]]);
  if (lines.length) files.set(S(f.file), lines);
}

function fillSource(file, current) {
  const lines = files.get(file) || [], out = [], who = new Map();
  for (const [tid, i] of current)
    if (rows[i].place.file === file) who.set(rows[i].place.line, (who.get(rows[i].place.line) || []).concat("T" + tid));
  let before = 0, nowLine = null;
  for (const [n, text] of lines) {
    if (before && n > before + 1) out.push(make("div", { class: "cut" }, "⋯"));
    before = n;
    const isNow = rows[at].place && rows[at].place.file === file && rows[at].place.line === n;
    const e = make("div", { class: isNow ? "now" : who.has(n) ? "thread" : null }, make("span", { class: "who" }, (who.get(n) || []).join(" ")), make("span", { class: "n" }, String(n)), make("span", {}, text));
    if (isNow) nowLine = e;
    out.push(e);
  }
  if (!out.length) out.push(make("div", { class: "cut" }, "The source is not to be had."));
  get("source").replaceChildren(...out);
  if (nowLine) get("source").scrollTop = nowLine.offsetTop - get("source").offsetTop - get("source").clientHeight / 2;
}

function fillValues() {
  const value = new Map();
  for (let i = 0; i <= at; i++) {
    const r = rows[i];
    if (r.is !== "step" || !r.value || !r.object) continue;
    const to = r.value.includes(" -> ") ? r.value.split(" -> ").pop() : r.value.replace(/^= /, "");
    value.set(r.object, { to, i, tid: r.tid });
  }
  const list = [...value].sort((a, b) => b[1].i - a[1].i).slice(0, 40);
  get("values").replaceChildren(list.length ? table([{ text: "variable" }, { text: "value here" }, { text: "last used by" }],
    list.map(([name, v]) => ({ class: v.i === at ? "changed" : null, cells: [make("code", {}, name), make("code", {}, v.to), `T${v.tid}, step ${rows[v.i].step}`] }))) : "");
}

/* ---- walking ------------------------------------------------------------------------ */

function fillDetail() {
  const r = rows[at];
  get("detail").replaceChildren(make("b", {}, threadName.get(r.tid) || ""), r.step !== undefined ? ` step ${r.step}: ` : " ", make("code", {}, rowText(r)),
    r.place ? " at " + placeText(r.place) : "", r.caller ? ", called from " + placeText(r.caller) : "");
}

function goTo(i, keep) {
  at = i;
  const box = get("scroll"), y = top(i), h = rowHeight(), current = threadsAt();
  if (y < box.scrollTop + 10 || y + h > box.scrollTop + box.clientHeight - 40) box.scrollTop = y - box.clientHeight / 2;
  if (!keep || box.scrollLeft + box.clientWidth < left(rows[i].tid) + columnWidth || left(rows[i].tid) < box.scrollLeft)
    box.scrollLeft = Math.max(0, left(rows[i].tid) - 80);
  get("slider").value = stops.indexOf(i);
  get("position").textContent = `${stops.indexOf(i) + 1}/${stops.length}`;
  draw();
  fillDetail();
  if (rows[i].place && files.has(rows[i].place.file)) get("file").value = rows[i].place.file;
  fillSource(get("file").value, current);
  fillValues();
}

function walk(by) {
  const i = Math.max(0, Math.min(stops.length - 1, stops.indexOf(at) + by));
  goTo(stops[i], true);
}

function walkSwitch(by) {
  let i = stops.indexOf(at);
  while (stops[i + by] !== undefined && rows[stops[i + by]].tid === rows[at].tid) i += by;
  goTo(stops[Math.max(0, Math.min(stops.length - 1, i + by))], true);
}

function firstPlace() {
  const p = data.pair;
  for (const e of p ? [p.second, p.first] : []) if (e && e.row !== undefined) return e.row;
  const keys = stops.filter((i) => rows[i].key && rows[i].is === "step");
  return keys.length ? keys[keys.length - 1] : stops[stops.length - 1];
}

function begin() {
  fillWords();
  for (const name of files.keys()) get("file").append(make("option", { value: name }, name));
  get("file").onchange = () => fillSource(get("file").value, threadsAt());
  if (!stops.length) { get("shown").textContent = "No step was recorded."; return; }
  get("slider").max = stops.length - 1;
  get("slider").oninput = () => goTo(stops[Number(get("slider").value)], true);
  const press = { "to-pair": () => goTo(firstPlace()), back: () => walk(-1), next: () => walk(1), "back-switch": () => walkSwitch(-1), "next-switch": () => walkSwitch(1),
    smaller: () => { zoom = Math.max(0, zoom - 1); layOut(); goTo(at); }, larger: () => { zoom = Math.min(HEIGHTS.length - 1, zoom + 1); layOut(); goTo(at); } };
  for (const [id, does] of Object.entries(press)) get(id).onclick = does;
  const keys = { ArrowUp: "back", k: "back", ArrowDown: "next", j: "next", n: "next-switch", p: "back-switch", d: "to-pair", "+": "larger", "-": "smaller" };
  document.addEventListener("keydown", (e) => {
    const inField = /^(SELECT|INPUT|TEXTAREA)$/.test(e.target.tagName);
    if (inField || e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    if (e.key.startsWith("Arrow") && e.target !== get("scroll")) return;
    e.preventDefault();
    press[keys[e.key]]();
  });
  get("scroll").addEventListener("scroll", () => requestAnimationFrame(draw));
  window.addEventListener("resize", () => { layOut(); goTo(at); });
  layOut();
  goTo(firstPlace());
}
begin();
