/* The card of an error. */
const news = make("p", { class: "sr", "aria-live": "polite" });
const card = make("section", { class: "card", "aria-label": "The error" });

let asked = 0;
async function go(place) {
  const mine = ++asked;
  main.setAttribute("aria-busy", "true");
  state.cursor = place;
  const texts = missing(pageAround(place));
  if (texts && !(await whole(texts, place, mine))) return;
  if (Number(list.dataset.page) !== pageOf(place)) fill();
  for (const row of list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
  const row = $(`button[data-place="${place}"]`, list);
  if (row) {
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
  }
  const n = state.shown[place];
  news.textContent = `${place + 1} of ${state.shown.length}: ${kindOf(n)[0]}, ${subjectOf(n)}`;
  show(n, mine);
}

/* Await data, unless another error is selected meanwhile; report a truncated file. */
async function whole(coming, place, mine) {
  try {
    const found = await coming;
    return mine === asked ? found : null;
  } catch (error) {
    if (mine === asked) card.replaceChildren(make("p", { class: "facts", role: "alert" }, `${documentOf(state.shown[place])} cannot be shown: ${error.message}.`));
    return null;
  }
}

/* Show the card and the texts of an error as soon as its document is loaded, unless another one is selected meanwhile. */
async function show(n, mine) {
  const doc = await whole(load(all.doc[n]), state.cursor, mine);
  if (!doc) return;
  const entry = doc.errors[all.at[n]];
  describe(doc, entry, n);
  open(all.doc[n], doc, sentenceOf(n));
  point(doc, entry);
  remember(n, entry[1][0]);
  main.removeAttribute("aria-busy");
  const next = state.shown[state.cursor + 1];
  if (next !== undefined) load(all.doc[next]).catch?.(() => {}); // reported when it is shown
}

/* Show the first text if there is no error to show. */
async function showNothing() {
  const mine = ++asked;
  if (state.doc < 0 && index.docs.length) {
    const doc = await load(0);
    if (mine !== asked) return;
    open(0, doc, 0);
  }
  main.removeAttribute("aria-busy");
}

function step(by) {
  if (!state.shown.length) return;
  go((state.cursor + by + state.shown.length) % state.shown.length);
}

const quoted = (side, at) => (at < 0 ? "" : make("span", {}, make("q", { dir: "auto" }, words(side, at)), make("span", { class: "aside" }, ` s. ${side.mentions[at].line + 1}`)));

/* Return what the key has, and what a response has instead. */
function facts(doc, row, which) {
  const [key, response] = [doc.sides[0], doc.sides[which]], [, kind, , , own, other, right, chosen, distance, size, flags, rare, ...parts] = row;
  const name = index.kinds[kind][0], pairs = [];
  if (name === "span") pairs.push(["key", quoted(key, own)], ["response", quoted(response, other)], ["matched", flags & 2 ? "yes, the scorer accepts it" : flags & 4 ? "no, the heads differ" : "no"]);
  if (name === "false-new" || name === "wrong-link") pairs.push(["key links to", quoted(key, right)]);
  if (name === "false-link" || name === "wrong-link") pairs.push(["response links to", quoted(response, chosen)]);
  if (parts.length) pairs.push([name === "split" ? "first mentions of parts" : "first mentions of entities", make("span", {}, ...parts.flatMap((part, at) => [at ? " · " : "", quoted(key, part)]))]);
  if (flags & 1) pairs.push(["note", `${own < 0 ? "the key" : "the response"} has this mention as a singleton, which is not scored`]);
  pairs.push(["distance", distance < 0 ? "" : plural(distance, "sentence")], ["entity", plural(size, "mention")], ["rare words", rare]);
  return pairs.filter(([, value]) => value);
}

function pairsList(pairs) {
  const rows = make("dl", { class: "pairs" });
  for (const [name, value] of pairs) rows.append(make("dt", {}, name), make("dd", { dir: "auto" }, value));
  return rows;
}

function describe(doc, entry, n) {
  const [change, row, again] = entry, [name, , meaning] = index.kinds[row[1]], [which, at] = subject(entry);
  card.replaceChildren(
    make("div", { class: "title" }, make("span", { class: `dot ${index.kinds[row[1]][1]}` }), make("h2", {}, name), make("q", { class: "whole", dir: "auto" }, words(doc.sides[which], at)),
      make("span", { class: "kind" }, index.types[row[2]]), two ? make("span", { class: `state c${change}` }, CHANGES[change]) : "",
      make("span", { class: "aside" }, `${number(state.cursor + 1)} of ${number(state.shown.length)}`),
      make("button", { type: "button", class: "tool", title: "Previous error (p)", "aria-label": "Previous error", onclick: () => step(-1) }, "←"),
      make("button", { type: "button", class: "tool", title: "Next error (n)", "aria-label": "Next error", onclick: () => step(1) }, "→")),
    make("p", { class: "meaning" }, meaning),
    make("div", { class: "facts-of" },
      make("div", {}, two ? make("h3", {}, index.responses[ofSide(entry) - 1]) : "", pairsList(facts(doc, row, ofSide(entry)))),
      again ? make("div", {}, make("h3", {}, index.responses[1]), pairsList(facts(doc, again, 2))) : ""),
    make("p", { class: "id" }, make("code", {}, row[0]), ` ${documentOf(n)}, sentence ${row[3] + 1}`));
}
