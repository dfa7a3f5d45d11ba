/* The address of an error, the tools, mouse and keyboard events, and the layout of the page. */
function remember(n, id) {
  try {
    history.replaceState(null, "", `#${new URLSearchParams({ doc: documentOf(n), error: id })}`);
  } catch { /* a sandboxed frame has no address to change */ }
}

async function recall(hash) {
  const place = new URLSearchParams(hash.slice(1)), id = place.get("error");
  const doc = index.docs.findIndex(([name]) => name === place.get("doc"));
  if (doc < 0 || !id) return;
  const at = (await load(doc)).errors.findIndex(([, row]) => row[0] === id), cursor = at < 0 ? -1 : state.shown.indexOf(first[doc] + at);
  if (cursor >= 0 && cursor !== state.cursor) go(cursor);
}

function tool(name, hint, pressed, act) {
  const button = make("button", { type: "button", class: "tool", title: hint, "aria-pressed": String(pressed) }, name);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    act(on);
  });
  return button;
}

const redraw = () => {
  if (!state.texts) return;
  draw();
  pointAgain();
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest && event.target.closest("input, select");
  if (event.key === "Escape") {
    if (typing) typing.blur();
    tip.hidden = true;
    if (state.entity) follow(state.entity);
  } else if (typing) return;
  else if (event.key === "n" || event.key === "j") step(1);
  else if (event.key === "p" || event.key === "k") step(-1);
  else if (event.key === "/") {
    event.preventDefault();
    search.focus();
  }
});
sheet.addEventListener("mouseover", (event) => {
  const found = target(event);
  if (found) showTip(found); else tip.hidden = true;
});
sheet.addEventListener("mouseleave", () => { tip.hidden = true; });
sheet.addEventListener("click", (event) => {
  const found = target(event);
  if (found && getSelection().isCollapsed) follow(found.side.entities[found.side.mentions[found.mentions[0]].entity]);
});
main.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

$("#tools").append(
  ...SIDES.map((name, at) => tool(name, `Show the ${name} column`, true, (on) => body.classList.toggle(`no-s${at}`, !on))),
  tool("Labels", "Show entity labels after mentions", true, (on) => body.classList.toggle("no-labels", !on)),
  tool("Singletons", "Show entities with a single mention", state.singletons, (on) => { state.singletons = on; redraw(); }));
heads.append(...SIDES.map((name, at) => make("span", { class: `s${at}`, dir: "auto" }, name)));
const groups = [...new Set(index.kinds.map(([, group]) => group))];
columns.prepend(make("aside", { class: "panel", "aria-label": "Errors" },
  changes.length ? make("div", { class: "chips", role: "group", "aria-label": "Changes" }, ...changes) : "",
  ...groups.map((group) => make("div", { class: "chips", role: "group", "aria-label": group }, make("span", { class: `dot ${group}` }), ...chips.filter((_, at) => index.kinds[at][1] === group))),
  make("div", { class: "row" }, types, index.genres.length > 1 ? genres : ""), search,
  make("div", { class: "row" }, found, make("span", { class: "turn" }, earlier, pageNow, later)), list,
  make("p", { class: "keys" }, make("kbd", {}, "n"), " next  ", make("kbd", {}, "p"), " previous  ", make("kbd", {}, "/"), " search"),
  make("p", { class: "keys" }, make("code", {}, index.signature))));
body.classList.add(`sides-${SIDES.length}`);
main.append(card, make("div", { class: "doc-title" }, title), heads, above, sheet, below);
body.append(tip, news);
const asksFor = location.hash; // before the first error replaces it
sift();
recall(asksFor).catch(() => {}); // keep the first error
addEventListener("hashchange", () => recall(location.hash).catch(() => {}));
