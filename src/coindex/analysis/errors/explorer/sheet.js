/* The texts side by side. */
const AROUND = 60;
const title = make("h2", { dir: "auto" });
const sheet = make("div", { class: "sheet", role: "table", "aria-label": "Key and response side by side" });
const heads = make("div", { class: "heads", "aria-hidden": "true" });
const more = (name, up) => make("button", { type: "button", class: "tool more", onclick: () => extend(up) }, name);
const above = more("Earlier sentences", true), below = more("Later sentences", false);

const size = (doc) => Math.max(...doc.sides.map(({ text }) => text.starts.length - 1));

function open(doc, texts, line) {
  if (doc !== state.doc || line < state.from || line >= state.to) {
    state.doc = doc;
    state.texts = texts;
    state.entity = null;
    state.from = Math.max(0, line - AROUND);
    state.to = Math.min(size(texts), line + AROUND);
    title.textContent = index.docs[doc][0];
    draw();
  }
}

function draw() {
  const doc = state.texts, rows = [];
  for (let line = state.from; line < state.to; line++) rows.push(drawRow(doc, line));
  sheet.replaceChildren(...rows);
  above.hidden = state.from === 0;
  below.hidden = state.to >= size(doc);
  if (state.entity) light(true);
}

function extend(up) {
  const doc = state.texts, edge = up ? state.from : state.to;
  state.from = up ? Math.max(0, edge - 2 * AROUND) : state.from;
  state.to = up ? state.to : Math.min(size(doc), edge + 2 * AROUND);
  draw();
  pointAgain();
  const row = sheet.children[edge - state.from - (up ? 0 : 1)];
  if (row) row.scrollIntoView({ block: up ? "start" : "end" });
}

function drawRow(doc, line) {
  const speaker = doc.sides[0].text.speakers[line];
  const cells = doc.sides.map((side, at) => make("div", { class: `cell s${at}`, role: "cell", dir: "auto" }, ...drawLine(side, line)));
  const row = make("div", { class: "sentence", role: "row", "data-line": line }, make("span", { class: "n", role: "rowheader" }, String(line + 1)), ...cells);
  if (speaker) row.prepend(make("div", { class: "who", dir: "auto" }, speaker));
  return row;
}

/* Mark the mentions of an error in the texts, and scroll to its sentence. */
function point(doc, entry, scroll = true) {
  for (const old of sheet.querySelectorAll(".now,.right,.wrong,.part")) old.classList.remove("now", "right", "wrong", "part", "first", "last");
  for (const old of sheet.querySelectorAll(".at")) old.classList.remove("at");
  const put = (side, at, name) => {
    const spans = at < 0 ? [] : [...sheet.querySelectorAll(`.s${side} [data-m~="${at}"]`)];
    spans.forEach((span, n) => span.classList.add(name, ...(n ? [] : ["first"]), ...(n + 1 < spans.length ? [] : ["last"])));
  };
  const put2 = ([, , , , own, other, right, chosen, , , , , ...parts], which) => {
    for (const part of parts) put(0, part, "part");
    put(0, right, "right");
    put(which, chosen, "wrong");
    put(0, own, "now");
    put(which, other, "now");
  };
  put2(entry[1], ofSide(entry));
  if (entry[2]) put2(entry[2], 2);
  if (two && !entry[2] && entry[1][4] >= 0) { // the same words in the other response
    const other = 3 - ofSide(entry), spans = JSON.stringify(doc.sides[0].mentions[entry[1][4]].parts);
    put(other, doc.sides[other].mentions.findIndex(({ parts }) => JSON.stringify(parts) === spans), "now");
  }
  const row = $(`.sentence[data-line="${entry[1][3]}"]`, sheet);
  if (!row) return;
  row.classList.add("at");
  if (scroll) row.scrollIntoView({ block: "center" });
}

/* Mark them again after the text is redrawn. */
function pointAgain() {
  const n = state.shown[state.cursor];
  if (n !== undefined && all.doc[n] === state.doc) point(state.texts, state.texts.errors[all.at[n]], false);
}
