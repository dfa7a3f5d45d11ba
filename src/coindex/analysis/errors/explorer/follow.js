/* Highlight an entity on all sides: twins have the same label and colour. */
function light(on) {
  const { label, colour } = state.entity, doc = state.texts;
  doc.sides.forEach((side, at) => {
    for (const entity of side.entities) {
      if (entity.label !== label || entity.colour !== colour) continue;
      for (const mention of entity.mentions) {
        const { line } = side.mentions[mention];
        if (line + 2 < state.from || line > state.to) continue;
        for (const span of sheet.querySelectorAll(`.s${at} [data-m~="${mention}"]`)) {
          span.classList.toggle("on", on);
          span.style.setProperty("--lit", colour);
        }
      }
    }
  });
}

function follow(entity) {
  if (state.entity) light(false);
  state.entity = state.entity === entity ? null : entity;
  if (state.entity) light(true);
  body.classList.toggle("following", Boolean(state.entity));
}

const tip = make("div", { class: "tip", role: "tooltip", hidden: "" });
function target(event) {
  const span = event.target.closest && event.target.closest(".cell .m");
  if (!span) return null;
  const cell = span.closest(".cell"), side = state.texts.sides[[...cell.parentElement.querySelectorAll(".cell")].indexOf(cell)];
  return { span, side, mentions: span.dataset.m.split(" ").map(Number) };
}

function showTip({ span, side, mentions }) {
  tip.replaceChildren(...mentions.map((at) => {
    const entity = side.entities[side.mentions[at].entity];
    return make("div", { class: "title" }, make("span", { class: "chip", colour: entity.colour }, entity.label || "1"), make("strong", { class: "whole", dir: "auto" }, nameOf(side, entity)),
      make("span", { class: "aside" }, `${entity.mentions.indexOf(at) + 1} of ${entity.mentions.length} · ${entity.id}`));
  }));
  tip.hidden = false;
  const box = span.getClientRects()[0] || span.getBoundingClientRect();
  const fits = box.bottom + 10 + tip.offsetHeight < innerHeight;
  tip.style.top = `${Math.max(4, fits ? box.bottom + 10 : box.top - tip.offsetHeight - 8)}px`;
  tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
}
