"use strict";
/* Follow entities through the documents of the page. Each <section class="doc"> holds its data as JSON:
   entities [id, label, name, colour, type, is event, attributes], mentions [entity, position, sentence, attributes]
   and, if the link has a source or a score, [.., source, score], a source being an index into the list of that name;
   relations [mention, entity, antecedents, is bridging, name]; mentions and entities are indexes, -1 if unknown, and an
   antecedent in another document is its id; attributes index the list of that name, -1 for none. */
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const columns = $(".columns"), main = $("main"), body = document.body;
  const sections = [...document.querySelectorAll("section.doc")];
  const collection = $("section.overview"); // entities over documents; its links lead to #d=DOCUMENT&m=MENTION
  const docs = new Map(); // section -> its data, with the elements of each mention
  const state = { section: null, entity: -1, mention: -1, hovered: -1 };

  /* An element: make("button", {class: "x", onclick: f}, "text", child, ...). Text is never read as HTML. */
  function make(tag, settings = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "colour") element.style.setProperty("--c", value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  }

  function load(section) {
    if (docs.has(section)) return docs.get(section);
    const doc = JSON.parse($("script", section).textContent);
    doc.entities = doc.entities.map(([id, label, name, colour, type, event, row]) => (
      { id, label, name, colour, type, event, attributes: doc.attributes[row] || {}, mentions: [] }));
    doc.mentions = doc.mentions.map(([entity, position, sentence, row, source, score = null], index) => {
      doc.entities[entity].mentions.push(index);
      const by = doc.sources[source] || "";
      return { entity, position, sentence, by, score, attributes: doc.attributes[row] || {}, parts: [], gaps: [] };
    });
    doc.scored = doc.mentions.some((mention) => mention.score !== null);
    for (const part of section.querySelectorAll(".m")) doc.mentions[part.dataset.m].parts.push(part);
    for (const gap of section.querySelectorAll(".gap")) doc.mentions[gap.dataset.m].gaps.push(gap);
    docs.set(section, doc);
    return doc;
  }
  const current = () => load(state.section);

  /* The text of a mention: its parts joined by " … ", what is left out for a zero. */
  function text(mention) {
    let found = "", line = null;
    for (const part of mention.parts) {
      const here = part.closest(".line");
      found += part.dataset.p ? " … " : line && line !== here ? " " : "";
      line = here;
      const zeros = part.textContent.trim() ? [] : [...part.querySelectorAll(".zero")];
      found += part.textContent + zeros.map((zero) => `∅ ${zero.dataset.hint || ""}`).join(" ");
    }
    return found.replace(/\s+/g, " ").trim();
  }

  function light(entity, on) {
    if (entity < 0) return;
    for (const index of current().entities[entity].mentions) {
      const { parts, gaps } = current().mentions[index];
      for (const element of [...parts, ...gaps]) element.classList.toggle("on", on);
    }
    const row = $(`.list button[data-e="${entity}"]`);
    if (row) row.classList.toggle("on", on);
  }

  function hover(entity) {
    if (entity === state.hovered) return;
    if (state.hovered !== state.entity) light(state.hovered, false);
    state.hovered = entity;
    light(entity, true);
  }

  /* ---- what is said of an entity or a mention ---- */

  const chip = (entity) => make("span", { class: "chip", colour: entity.colour, dir: "auto" }, entity.label);
  const plural = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
  const nameOf = (antecedent) => {
    const entity = current().entities[antecedent];
    return entity ? `${entity.name} (${entity.label})` : String(antecedent);
  };

  function pairs(rows) {
    const list = make("dl", { class: "pairs" });
    for (const [name, value] of rows) {
      if (value) list.append(make("dt", {}, name), make("dd", { dir: "auto" }, value));
    }
    return list;
  }

  function relations(matches) {
    return current().relations.filter(matches).map(([, , antecedents, bridging, name]) => (
      [bridging ? (name ? `bridging, ${name}` : "bridging") : "split antecedent", antecedents.map(nameOf).join(" + ")]));
  }

  const about = (entity) => [
    ["id", entity.id], ["type", entity.type], ["kind", entity.event ? "event" : "entity"],
    ...Object.entries(entity.attributes),
  ];

  /* Where the link of a mention comes from, and how sure it is. */
  const percent = (score) => (score >= 0 && score <= 1 ? `${Math.round(100 * score)} %` : String(score));
  function link(number) {
    const doc = current(), mention = doc.mentions[number], chain = doc.entities[mention.entity].mentions;
    if (!mention.by && mention.score === null) return [];
    const before = chain[chain.indexOf(number) - 1];
    return [
      ["linked by", mention.by], ["confidence", mention.score === null ? "" : percent(mention.score)],
      ["mention before", before === undefined ? "" : text(doc.mentions[before])],
    ];
  }

  /* ---- the tooltip ---- */

  const tip = make("div", { class: "tip", role: "tooltip", hidden: "" });

  function showTip(part) {
    const doc = current(), mention = doc.mentions[part.dataset.m], entity = doc.entities[mention.entity];
    const place = entity.mentions.indexOf(Number(part.dataset.m)) + 1;
    const around = [];
    for (let outer = part.parentElement.closest(".m"); outer; outer = outer.parentElement.closest(".m")) {
      const other = doc.entities[doc.mentions[outer.dataset.m].entity];
      if (other !== entity && !around.includes(other)) around.push(other);
    }
    tip.replaceChildren(
      make("div", { class: "title" }, chip(entity), make("strong", { class: "whole", dir: "auto" }, entity.name)),
      pairs([
        ["mention", `${place} of ${entity.mentions.length}`], ...link(Number(part.dataset.m)), ...about(entity),
        ...Object.entries(mention.attributes), ...relations((r) => r[0] === Number(part.dataset.m)),
        ["inside", around.map((other) => `${other.name} (${other.label})`).join(", ")],
      ]),
    );
    tip.hidden = false;
    const box = part.getClientRects()[0] || part.getBoundingClientRect();
    const below = box.bottom + 10 + tip.offsetHeight < innerHeight;
    tip.style.top = `${Math.max(4, below ? box.bottom + 10 : box.top - tip.offsetHeight - 8)}px`;
    tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
  }

  /* ---- the panel: all entities, or the one that is followed ---- */

  const news = make("p", { class: "sr", "aria-live": "polite" });
  const search = make("input", {
    class: "search", type: "search", placeholder: "Find an entity  ( / )", "aria-label": "Find an entity", oninput: () => fill(),
  });
  const order = make("select", { "aria-label": "Order of the entities", onchange: () => fill() },
    make("option", { value: "size" }, "by size"), make("option", { value: "text" }, "as in the text"));
  const found = make("span", { role: "status" });
  const list = make("ul", { class: "list" });
  const overview = make("div", {}, search, make("div", { class: "row" }, found, order), list);
  const detail = make("div", { hidden: "" });
  const panel = make("aside", { class: "panel", "aria-label": "Entities" }, overview, detail);

  function fill(most = 400) {
    if (!state.section) return;
    const doc = current(), wanted = search.value.trim().toLowerCase(), single = !body.classList.contains("no-singletons");
    const rows = doc.entities.map((entity, index) => ({ entity, index })).filter(({ entity }) => (
      (single || entity.mentions.length > 1) &&
      [entity.id, entity.label, entity.name, entity.type || ""].some((word) => word.toLowerCase().includes(wanted))));
    if (order.value === "size") rows.sort((a, b) => b.entity.mentions.length - a.entity.mentions.length);
    found.textContent = plural(rows.length, "entity", "entities");
    const rest = make("button", { type: "button", onclick: () => fill(Infinity) }, `Show all ${rows.length.toLocaleString("en")}`);
    const more = rows.length > most ? [make("li", {}, rest)] : [];
    list.replaceChildren(...rows.slice(0, most).map(({ entity, index }) => make("li", {}, make("button", {
      type: "button", "data-e": index, onclick: () => follow(index, 0),
      onmouseenter: () => hover(index), onmouseleave: () => hover(-1),
      "aria-label": `${entity.name}, ${entity.type || "entity"}, ${plural(entity.mentions.length, "mention")}`,
    },
    chip(entity), make("span", { class: "name", dir: "auto" }, entity.name),
    entity.type || entity.event ? make("span", { class: "kind" }, entity.type || "event") : "",
    make("span", { class: "aside" }, `${entity.mentions.length}×`)))), ...more);
  }

  /* Where in the document the mentions are, as a strip of ticks. */
  function strip(entity) {
    const doc = current(), ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
    svg.setAttribute("class", "strip");
    svg.setAttribute("viewBox", "0 0 1000 10");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(ns, "path");
    const at = (index) => Math.round(4 + (992 * doc.mentions[index].position) / Math.max(1, doc.tokens));
    path.setAttribute("d", entity.mentions.map((index) => `M${at(index)} 1V9`).join(""));
    path.setAttribute("stroke", "currentColor");
    path.setAttribute("stroke-width", "2");
    path.setAttribute("vector-effect", "non-scaling-stroke");
    svg.append(path);
    return svg;
  }

  function elsewhere(entity) {
    if (!current().shared) return [];
    const rows = [];
    for (const section of sections) {
      const doc = load(section), index = doc.entities.findIndex((other) => other.id === entity.id);
      if (section === state.section || !doc.shared || index < 0) continue;
      rows.push(make("li", {}, make("button", { type: "button", onclick: () => { open(section); follow(index, 0); } },
        make("span", { class: "name", dir: "auto" }, $("h2", section).textContent),
        make("span", { class: "aside" }, `${doc.entities[index].mentions.length}×`))));
    }
    return rows.length ? [make("h4", {}, "In other documents"), make("ul", { class: "list" }, ...rows)] : [];
  }

  function describe(index) {
    const doc = current(), entity = doc.entities[index];
    const rows = entity.mentions.map((number, place) => make("li", {}, make("button", {
      type: "button", "data-m": number, colour: entity.colour, onclick: () => go(number),
      "aria-label": `mention ${place + 1}, sentence ${doc.mentions[number].sentence}: ${text(doc.mentions[number])}`,
    },
    make("span", { class: "name", dir: "auto" }, text(doc.mentions[number])),
    doc.mentions[number].score === null ? "" : make("span", { class: "aside" }, percent(doc.mentions[number].score)),
    make("span", { class: "aside" }, `s. ${doc.mentions[number].sentence}`))));
    detail.replaceChildren(
      make("div", { class: "title" }, chip(entity), make("h3", { dir: "auto", tabindex: "-1" }, entity.name),
        make("button", { type: "button", class: "close", "aria-label": "Back to all entities", onclick: () => release() }, "✕")),
      strip(entity), pairs([...about(entity), ...relations((r) => r[1] === index)]),
      make("h4", {}, plural(rows.length, "mention")), make("ul", { class: "list mentions" }, ...rows), ...elsewhere(entity),
      make("p", { class: "keys" }, make("kbd", {}, "n"), " next  ", make("kbd", {}, "p"), " previous  ", make("kbd", {}, "Esc"), " back"));
    detail.firstChild.nextSibling.style.setProperty("--c", entity.colour);
  }

  /* ---- following ---- */

  /* Follow an entity, and go to one of its mentions unless place is -1. */
  function follow(index, place) {
    const mentions = current().entities[index].mentions, at = state.mention;
    if (index !== state.entity) {
      release();
      state.entity = index;
      light(index, true);
      body.classList.add("following");
      describe(index);
      overview.hidden = true;
      detail.hidden = false;
      panel.scrollTop = 0;
    }
    if (place >= 0 && mentions.length) go(mentions[place]);
    else if (mentions.includes(at)) mark(at);
    remember();
  }

  function release() {
    mark(-1);
    if (state.entity < 0) return;
    const left = state.entity;
    state.entity = -1;
    light(left, false);
    body.classList.remove("following");
    overview.hidden = false;
    detail.hidden = true;
    detail.replaceChildren();
    const row = $(`.list button[data-e="${left}"]`);
    if (row) row.focus({ preventScroll: true });
    remember();
  }

  function mark(number) {
    const doc = current();
    if (state.mention >= 0) for (const part of doc.mentions[state.mention].parts) part.classList.remove("now");
    for (const row of detail.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    state.mention = number;
    if (number < 0) return;
    for (const part of doc.mentions[number].parts) part.classList.add("now");
    const row = $(`button[data-m="${number}"]`, detail);
    if (row) row.setAttribute("aria-current", "true");
  }

  /* Bring a mention into view and say where we are. */
  function go(number) {
    mark(number);
    const mention = current().mentions[number], entity = current().entities[mention.entity];
    mention.parts[0].scrollIntoView({ block: "center", inline: "nearest" });
    const row = $("[aria-current]", detail);
    if (row) row.scrollIntoView({ block: "nearest" });
    const place = entity.mentions.indexOf(number) + 1;
    news.textContent = `${text(mention)}: mention ${place} of ${entity.mentions.length} of ${entity.name}`;
  }

  /* Go to the next (1) or previous (-1) mention of the selected entity, or of any if none is selected. */
  function step(by) {
    const doc = current();
    const mentions = state.entity >= 0 ? doc.entities[state.entity].mentions : [...doc.mentions.keys()];
    if (!mentions.length) return;
    const at = mentions.indexOf(state.mention);
    go(mentions[at < 0 ? (by > 0 ? 0 : mentions.length - 1) : (at + by + mentions.length) % mentions.length]);
  }

  /* ---- documents, and the address that leads back here ---- */

  const nav = make("nav", { class: "docs", "aria-label": "Documents" });

  function open(section) {
    if (section === state.section) return;
    if (state.section) {
      release();
      hover(-1);
    }
    state.section = section;
    if (collection) collection.hidden = true;
    body.classList.remove("at-overview");
    for (const other of sections) {
      if (other === section) other.removeAttribute("hidden");
      else other.setAttribute("hidden", "until-found"); // the browser's search still finds what is in it
    }
    for (const row of nav.querySelectorAll("button")) {
      row.toggleAttribute("aria-current", row.dataset.d === section.id);
    }
    search.value = "";
    fill();
    sift();
    scrollTo(0, 0);
    remember();
  }

  /* The collection as a whole, and no document. */
  function survey() {
    if (state.section) {
      release();
      hover(-1);
    }
    state.section = null;
    for (const section of sections) section.setAttribute("hidden", "until-found");
    for (const row of nav.querySelectorAll("button")) row.toggleAttribute("aria-current", row.dataset.d === collection.id);
    collection.hidden = false;
    body.classList.add("at-overview");
    scrollTo(0, 0);
    remember();
  }

  function listDocuments() {
    const rows = sections.map((section) => make("li", {}, make("button", { type: "button", "data-d": section.id, onclick: () => open(section) },
      make("span", { class: "name", dir: "auto", title: $("h2", section).textContent }, $("h2", section).textContent))));
    const narrow = (event) => {
      const wanted = event.target.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    };
    if (collection) {
      main.prepend(collection);
      nav.append(make("ul", { class: "list" }, make("li", {}, make("button", { type: "button", "data-d": collection.id, onclick: survey },
        make("span", { class: "name" }, $("h2", collection).textContent)))));
    }
    nav.append(
      make("input", { class: "search", type: "search", placeholder: "Find a document", "aria-label": "Find a document", oninput: narrow }),
      make("div", { class: "row" }, plural(sections.length, "document")), make("ul", { class: "list" }, ...rows));
    columns.prepend(nav);
    for (const section of sections) section.addEventListener("beforematch", () => open(section));
  }

  function remember() {
    const place = new URLSearchParams();
    if (state.section && sections.length > 1) place.set("doc", $("h2", state.section).textContent);
    if (state.entity >= 0) place.set("entity", current().entities[state.entity].id);
    try {
      history.replaceState(null, "", `#${place}`);
    } catch { /* a sandboxed frame has no address to change */ }
  }

  function recall() {
    const place = new URLSearchParams(location.hash.slice(1));
    const wanted = sections.find((section) => section.id === place.get("d")) ||
      sections.find((section) => $("h2", section).textContent === place.get("doc"));
    const entity = place.get("entity"), mention = Number(place.get("m") ?? -1);
    if (collection && !wanted) {
      survey();
      return;
    }
    open(wanted || sections[0]);
    if (current().mentions[mention]) {
      follow(current().mentions[mention].entity, -1);
      go(mention);
      return;
    }
    const index = current().entities.findIndex((other) => other.id === entity);
    if (index >= 0) follow(index, 0);
  }

  /* ---- links by their confidence ---- */

  const least = make("input", { type: "range", min: "0", max: "100", value: "0", step: "5", oninput: () => sift() });
  const shownLeast = make("output", {}, "0 %");
  const sure = make("label", { class: "sure", title: "Links below this confidence are hidden" }, "Hide links below", least, shownLeast);

  function sift() {
    const doc = current(), limit = Number(least.value) / 100;
    sure.hidden = !doc.scored;
    shownLeast.textContent = percent(limit);
    if (!doc.scored) return;
    for (const { score, parts } of doc.mentions) {
      for (const part of parts) part.classList.toggle("below", score !== null && score < limit);
    }
  }

  /* ---- the tools, the pointer, the keys ---- */

  function tool(name, title, className, pressed, flip) {
    const button = make("button", { type: "button", class: "tool", title, "aria-pressed": String(pressed) }, name);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      body.classList.toggle(className, on !== flip);
      if (className === "no-singletons") fill();
    });
    return button;
  }

  function listen() {
    main.addEventListener("mouseover", (event) => {
      const part = event.target.closest(".m");
      if (!part) return;
      hover(current().mentions[part.dataset.m].entity);
      showTip(part);
    });
    main.addEventListener("mouseout", (event) => {
      if (event.relatedTarget && event.relatedTarget.closest && event.relatedTarget.closest(".m")) return;
      hover(-1);
      tip.hidden = true;
    });
    main.addEventListener("click", (event) => {
      const part = event.target.closest(".m");
      if (!part || !getSelection().isCollapsed) return;
      follow(current().mentions[part.dataset.m].entity, -1);
      mark(Number(part.dataset.m));
      const row = $("[aria-current]", detail);
      if (row) row.scrollIntoView({ block: "nearest" });
    });
    addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !state.section) return;
      const typing = event.target.closest && event.target.closest("input:not([type=range]), select");
      if (event.key === "Escape") {
        if (typing) typing.blur();
        tip.hidden = true;
        release();
      } else if (typing) return;
      else if (event.key === "n") step(1);
      else if (event.key === "p") step(-1);
      else if (event.key === "Enter" && state.mention >= 0 && state.entity < 0 && event.target === body) {
        follow(current().mentions[state.mention].entity, -1);
      } else if (event.key === "/") {
        event.preventDefault();
        release();
        search.focus();
      }
    });
  }

  if (!sections.length) return;
  $("#tools").append(
    tool("Sentences", "One sentence per line, or running text", "by-line", true, false),
    tool("Labels", "Show entity labels after mentions", "no-labels", true, true),
    tool("Singletons", "Show entities with a single mention", "no-singletons", !body.classList.contains("no-singletons"), true), sure);
  body.classList.add("by-line");
  if (sections.length > 1) listDocuments();
  columns.append(panel);
  body.append(tip, news);
  listen();
  addEventListener("hashchange", recall);
  recall();
})();
