/* Documents, unpacked when they are opened: #d0, #d1, … each contain
   texts [units, units of each sentence, zeros with hints, speakers from a sentence on];
   sides (key, response, second) [text, entities [id, label, colour, naming mention], singletons only the id,
   mentions [entity, start, size, start, …]];
   errors [id, kind, type, sentence, key mention, response mention, key antecedent, response antecedent, distance, size,
   flags (1 singleton on the other side, 2 matched nevertheless, 4 heads differ), rare words, parts…], or, if two responses are compared,
   [change, error, the same error in the second response]. Mentions are indexes, -1 for none; parts are in the key. */
const KEPT = 40;
const docs = new Map();

/* Return a document or a promise of it; the most recent ones are cached. */
function load(number) {
  const found = docs.get(number) || { doc: null, coming: unpack(`d${number}`).then((data) => { found.doc = arrange(data); return found.doc; }) };
  docs.delete(number);
  docs.set(number, found);
  if (docs.size > KEPT) docs.delete(docs.keys().next().value);
  return found.doc || found.coming;
}

function arrange(data) {
  const texts = data.texts.map(([units, sizes, zeros, speakers]) => {
    const starts = [0];
    for (const size of sizes) starts.push(starts[starts.length - 1] + size);
    return { units, starts, zeros, speakers };
  });
  return { errors: data.errors.map((row) => (two ? row : [0, row, null])), sides: data.sides.map(([text, entities, mentions]) => side(texts[text], entities, mentions)) };
}

function lineOf(text, unit) {
  let low = 0, high = text.starts.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (text.starts[middle] <= unit) low = middle; else high = middle;
  }
  return low;
}

function side(text, entities, rows) {
  const found = { text, entities: entities.map(([id, label = "", colour = "gray", best = -1]) => ({ id, label, colour, best, mentions: [] })), mentions: [], lines: new Map() };
  rows.forEach(([entity, ...spans], at) => {
    const parts = [];
    for (let n = 0; n < spans.length; n += 2) parts.push([spans[n], spans[n] + spans[n + 1]]);
    found.entities[entity].mentions.push(at);
    found.mentions.push({ entity, parts, line: parts.length ? lineOf(text, parts[0][0]) : 0 });
    const lines = new Set(parts.flatMap(([start, end]) => [lineOf(text, start), lineOf(text, end - 1)]));
    for (const line of lines) {
      if (!found.lines.has(line)) found.lines.set(line, []);
      found.lines.get(line).push(at);
    }
  });
  return found;
}

/* Return the text of a mention: its parts joined by " … ", or the omitted word of a zero. */
function words(side, at) {
  if (at < 0) return "";
  const { units, zeros } = side.text;
  const parts = side.mentions[at].parts.map(([start, end]) => units.slice(start, end).join("").trim()).filter(Boolean);
  if (parts.length) return parts.join(" … ").replace(/\s+/g, " ");
  return `∅ ${side.mentions[at].parts.map(([start]) => zeros[start] || "").join(" ")}`.trim();
}

const nameOf = (side, { best, mentions }) => words(side, best < 0 ? mentions[0] : best);

/* The response of an error: 1, or 2 if only the second response has it. */
const ofSide = ([change]) => (two && change === 2 ? 2 : 1);
/* The side of the mention of an error and its number. */
const subject = (entry) => (entry[1][4] >= 0 ? [0, entry[1][4]] : [ofSide(entry), entry[1][5]]);
