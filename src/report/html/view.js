/* view.js: what all pages share. Texts become text nodes, never markup. */
const data = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const svg = ["svg", "path", "polyline", "line", "text", "g", "marker", "defs", "circle", "title"].includes(tag);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {}))
    if (v !== undefined && v !== null) e.setAttribute(k, v);
  for (const c of children) if (c !== undefined && c !== null) e.append(c);
  return e;
}

/* `name` in a sentence becomes code. */
function words(text) {
  const f = document.createDocumentFragment();
  (text || "").split("`").forEach((part, i) => f.append(i % 2 ? make("code", {}, part) : part));
  return f;
}

function table(heads, rows) {
  const t = make("table");
  t.append(make("tr", {}, ...heads.map((h) => make("th", { class: h.num ? "num" : null }, h.text))));
  for (const r of rows)
    t.append(make("tr", { class: r.class }, ...r.cells.map((c, i) => make("td", { class: heads[i].num ? "num" : null, "data-head": heads[i].text || null }, c))));
  return t;
}

function copyable(text) {
  const button = make("button", {}, "Copy");
  button.onclick = () => {
    const done = () => { button.textContent = "Copied"; setTimeout(() => (button.textContent = "Copy"), 1200); };
    if (navigator.clipboard && window.isSecureContext) { navigator.clipboard.writeText(text).then(done, () => {}); return; }
    const area = make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  };
  return make("div", { class: "copy" }, make("pre", {}, text), button);
}
