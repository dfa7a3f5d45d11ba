/* The filters and the list. */
const PAGE = 50;
const state = { kinds: new Set(), change: -1, shown: new Uint32Array(0), cursor: -1, doc: -1, texts: null, from: 0, to: 0, singletons: index.singletons, entity: null };
const option = (name, value) => make("option", { value }, name);
const select = (label, names) => make("select", { "aria-label": label, onchange: () => sift() }, option(label, -1), ...names.map((name, at) => option(name, at)));
const types = select("All types", index.types), genres = select("All genres", index.genres);
const search = make("input", { class: "search", type: "search", placeholder: "Words or documents  ( / )", "aria-label": "Search errors by words of mentions or names of documents", oninput: () => sift() });
const chips = index.kinds.map(([name, , meaning], at) => make("button", { type: "button", class: "tool fact", title: meaning, "aria-pressed": "false", onclick: () => toggle(at) }, make("span", {}, name), make("span", { class: "aside" })));
const changes = two ? CHANGES.map((name, at) => make("button", { type: "button", class: `tool fact change c${at}`, "aria-pressed": "false", onclick: () => choose(at) }, make("span", {}, name), make("span", { class: "aside" }))) : [];
const found = make("span", { role: "status" });
const list = make("ol", { class: "list errors" });
const pageNow = make("span", { class: "aside" });
const turn = (by) => () => go(Math.max(0, Math.min(state.shown.length - 1, (pageOf(state.cursor) + by) * PAGE)));
const earlier = make("button", { type: "button", class: "tool", "aria-label": "Earlier errors", onclick: turn(-1) }, "‹");
const later = make("button", { type: "button", class: "tool", "aria-label": "Later errors", onclick: turn(1) }, "›");
const pageOf = (cursor) => Math.floor(Math.max(0, cursor) / PAGE);

function toggle(kind) {
  if (!state.kinds.delete(kind)) state.kinds.add(kind);
  sift();
}

function choose(change) {
  state.change = state.change === change ? -1 : change;
  sift();
}

/* Return the texts of an error in lower case, cached. */
const lowered = [];
function lower(n) {
  if (lowered[n] === undefined) lowered[n] = textOf(n).toLowerCase();
  return lowered[n];
}

/* Apply the filters, and keep the current error if it matches. */
async function sift() {
  const wanted = search.value.trim().toLowerCase(), type = Number(types.value), genre = Number(genres.value);
  const texts = wanted ? missing(EVERYWHERE) : null;
  if (texts) {
    found.textContent = "searching …";
    await texts;
    if (wanted !== search.value.trim().toLowerCase()) return; // the query changed meanwhile
    return sift();
  }
  const inside = index.docs.map(([, own]) => genre < 0 || own === genre);
  const named = index.docs.map(([name]) => name.toLowerCase().includes(wanted));
  const here = state.cursor >= 0 ? state.shown[state.cursor] : -1;
  const byKind = new Uint32Array(chips.length), byChange = new Uint32Array(3), taken = [];
  for (let n = 0; n < total; n++) {
    if (!inside[all.doc[n]] || (type >= 0 && all.type[n] !== type)) continue;
    if (!named[all.doc[n]] && !lower(n).includes(wanted)) continue;
    const kind = !state.kinds.size || state.kinds.has(all.kind[n]), change = state.change < 0 || all.change[n] === state.change;
    if (change) byKind[all.kind[n]]++;
    if (kind) byChange[all.change[n]]++;
    if (kind && change) taken.push(n);
  }
  chips.forEach((chip, at) => mark(chip, state.kinds.has(at), byKind[at]));
  changes.forEach((chip, at) => mark(chip, state.change === at, byChange[at]));
  state.shown = Uint32Array.from(taken);
  found.textContent = plural(taken.length, "error");
  state.cursor = -1;
  delete list.dataset.page;
  if (!taken.length) {
    list.replaceChildren();
    pageNow.textContent = "";
    card.replaceChildren(make("p", { class: "facts" }, total ? "No errors match these filters." : "No errors."));
    showNothing();
    return;
  }
  go(Math.max(0, taken.indexOf(here)));
}

function mark(chip, pressed, count) {
  chip.setAttribute("aria-pressed", String(pressed));
  chip.lastChild.textContent = number(count);
}

/* Return the errors on the same page of the list. */
const pageAround = (place) => state.shown.subarray(pageOf(place) * PAGE, (pageOf(place) + 1) * PAGE);

function fill() {
  const from = pageOf(state.cursor) * PAGE, rows = [];
  for (let place = from; place < from + pageAround(state.cursor).length; place++) {
    const n = state.shown[place], [kind, group] = kindOf(n);
    rows.push(make("li", {}, make("button", { type: "button", "data-place": place, onclick: () => go(place) },
      make("span", { class: `dot ${group}`, "aria-hidden": "true" }),
      make("span", { class: "name" }, make("span", { class: "what" }, kind), " ", make("bdi", {}, subjectOf(n))),
      two ? make("span", { class: `state c${all.change[n]}`, title: CHANGES[all.change[n]] }, "=✓✗"[all.change[n]]) : "",
      make("span", { class: "aside", title: documentOf(n) }, `s. ${sentenceOf(n) + 1}`))));
    if (place === from || all.doc[n] !== all.doc[state.shown[place - 1]]) rows[rows.length - 1].prepend(make("div", { class: "where", dir: "auto" }, documentOf(n)));
  }
  list.replaceChildren(...rows);
  list.start = from + 1;
  const pages = Math.ceil(state.shown.length / PAGE);
  pageNow.textContent = `${number(pageOf(state.cursor) + 1)} / ${number(pages)}`;
  earlier.disabled = pageOf(state.cursor) === 0;
  later.disabled = pageOf(state.cursor) + 1 >= pages;
  list.dataset.page = pageOf(state.cursor);
}
