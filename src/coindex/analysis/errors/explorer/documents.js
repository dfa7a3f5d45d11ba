/* Documents, taken apart when they are opened: #d0, #d1, … each hold
   texts [units, units of each sentence, zeros with hints, speakers from a sentence on];
   sides (key, response, second) [text, entities [id, label, colour, mention to name it by], of one mention the id alone,
   mentions [entity, start, size, start, …]];
   errors [id, kind, type, sentence, key mention, response mention, key antecedent, response antecedent, distance, size,
   flags (1 alone in the other side, 2 matched all the same, 4 of other heads), rare words, parts…], or, where two responses are compared,
   [change, error, the same error in the second response]. Mentions are indexes, -1 for none; parts are of the key. */
const KEPT = 40;
const docs = new Map();

/* A document; those that were opened last are kept. */
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

/* The text of a mention: its parts joined by " … ", what is left out for a zero. */
function words(side, at) {
  if (at < 0) return "";
  const { units, zeros } = side.text;
  const said = side.mentions[at].parts.map(([start, end]) => units.slice(start, end).join("").trim()).filter(Boolean);
  if (said.length) return said.join(" … ").replace(/\s+/g, " ");
  return `∅ ${side.mentions[at].parts.map(([start]) => zeros[start] || "").join(" ")}`.trim();
}

const nameOf = (side, { best, mentions }) => words(side, best < 0 ? mentions[0] : best);

/* The response that an error is of: 1, or 2 for one that only the second has. */
const ofSide = ([change]) => (two && change === 2 ? 2 : 1);
/* Where the mention of an error is: its side and its number there. */
const subject = (entry) => (entry[1][4] >= 0 ? [0, entry[1][4]] : [ofSide(entry), entry[1][5]]);
