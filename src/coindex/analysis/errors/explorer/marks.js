/* Draw a sentence as runs of text with the same marks; underlines are stacked, longer ones below. */
function drawLine(side, line) {
  const { units, starts, zeros } = side.text, from = starts[line], to = starts[line + 1];
  if (from === undefined || to === undefined) return [];
  const cover = Array.from({ length: to - from }, () => []), used = new Uint8Array(to - from), marks = new Map();
  const length = (at) => side.mentions[at].parts.reduce((sum, [start, end]) => sum + end - start, 0);
  const here = (side.lines.get(line) || []).slice().sort((a, b) => length(a) - length(b));
  for (const at of here) {
    const { entity, parts } = side.mentions[at], one = side.entities[entity].mentions.length === 1;
    const inside = parts.map(([start, end]) => [Math.max(start, from) - from, Math.min(end, to) - from]).filter(([start, end]) => start < end);
    let lane = -1;
    if (!one || state.singletons) {
      lane = Math.max(...inside.map(([start, end]) => Math.max(...used.slice(start, end))));
      for (const [start, end] of inside) used.fill(lane + 1, start, end);
    }
    marks.set(at, { lane, one, colour: side.entities[entity].colour, inside, zero: parts.every(([start, end]) => { for (let n = start; n < end; n++) if (!(n in zeros)) return false; return true; }) });
    if (lane >= 0) for (const [start, end] of inside) for (let n = start; n < end; n++) cover[n].push(at);
  }
  const pieces = [];
  const add = (text, marked, zero) => {
    const last = pieces[pieces.length - 1];
    if (last && !zero && !last.zero && last.key === marked.join(" ")) last.text += text;
    else pieces.push({ text, marked, key: marked.join(" "), zero, ends: [] });
  };
  for (let n = 0; n < to - from; n++) {
    const unit = units[from + n], isZero = from + n in zeros, text = unit.trimEnd();
    if (isZero && !cover[n].some((at) => marks.get(at).zero)) continue;
    if (isZero) add(`∅ ${zeros[from + n]}`.trim(), cover[n], true);
    else if (text) add(text, cover[n], false);
    const ending = cover[n].filter((at) => marks.get(at).inside[marks.get(at).inside.length - 1][1] === n + 1 && !marks.get(at).one);
    if (ending.length && pieces.length) pieces[pieces.length - 1].ends.push(...ending);
    const space = isZero ? " " : unit.slice(text.length).replace(/\s+/g, " ");
    if (space && n + 1 < to - from) {
      const both = cover[n].filter((at) => cover[n + 1].includes(at));
      const last = pieces[pieces.length - 1];
      if (last && !last.ends.length && last.key === both.join(" ")) last.text += space;
      else pieces.push({ text: space, marked: both, key: both.join(" "), zero: false, ends: [] });
    }
  }
  const deepest = used.length ? Math.max(...used) : 0;
  return [make("span", { class: "run", style: `--depth:${deepest}` }, ...pieces.flatMap((piece) => drawPiece(side, piece, marks)))];
}

function drawPiece(side, piece, marks) {
  const labels = piece.ends.map((at) => make("span", { class: "label", "aria-hidden": "true", colour: marks.get(at).colour, "data-l": side.entities[side.mentions[at].entity].label }));
  if (!piece.marked.length) return [piece.text, ...labels];
  const seen = piece.marked.map((at) => marks.get(at)), deepest = Math.max(...seen.map(({ lane }) => lane));
  const span = make("span", { class: `m${piece.zero ? " zero" : ""}${seen[0].one ? "" : " tinted"}`, "data-m": piece.marked.join(" "), colour: seen[0].colour }, piece.text); // the shortest is first
  const ink = ({ one, colour }) => (one ? "color-mix(in srgb, currentColor 38%, transparent)" : colour);
  span.style.paddingBottom = `${3 + deepest * 4}px`;
  span.style.backgroundImage = seen.map((mark) => `linear-gradient(${ink(mark)},${ink(mark)})`).join(",");
  span.style.backgroundPosition = seen.map(({ lane }) => `0 calc(100% - ${(deepest - lane) * 4}px)`).join(",");
  span.style.backgroundSize = seen.map(({ one }) => `100% ${one ? 1 : 2}px`).join(",");
  return [span, ...labels];
}
