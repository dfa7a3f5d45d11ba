/** Edits that insert an empty node into a sentence or remove one; all later positions move. */

import { type Columns, compareMentions, type Doc, EditError, type Mention, type Move, same } from "./model";

type Args = Record<string, unknown>;
type Place = [positions: readonly number[], head: number | null];

const COLUMNS = ["lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "space"];

export function insertZero(doc: Doc, args: Args): void {
  const { after, before, form } = args;
  if ((after ?? null) === null === ((before ?? null) === null)) throw new EditError("Place the empty node either after or before a word.");
  const neighbour = doc.positions([after ?? before])[0]!;
  const at = neighbour + ((after ?? null) === null ? 0 : 1);
  const sentence = sentenceOf(doc, neighbour);
  const [word, number] = at > doc.sentences[sentence]!.start ? partsOf(doc.words.ids[at - 1]!) : [0, 0];
  rename(doc, sentence, shifted(doc, sentence, at, word, 1), at);
  const { words } = doc;
  words.forms.splice(at, 0, String(form ?? "_"));
  words.ids.splice(at, 0, `${word}.${number + 1}`);
  words.joined.splice(at, 0, false);
  words.columns.splice(at, 0, columnsIn(args));
  const surface = words.surfaces[at];
  words.surfaces.splice(at, 0, surface === words.surfaces[at - 1] ? surface : undefined);
  doc.over.splice(at, 0, undefined);
  renumber(doc, { at, by: 1, sentence });
}

export function removeZero(doc: Doc, { position }: Args): void {
  const at = doc.positions([position])[0]!;
  const sentence = sentenceOf(doc, at);
  checkRemovable(doc, at, sentence);
  const { words } = doc;
  rename(doc, sentence, shifted(doc, sentence, at + 1, partsOf(words.ids[at]!)[0], -1), at + 1);
  for (const column of [words.forms, words.ids, words.joined, words.columns, words.surfaces, doc.over]) column.splice(at, 1);
  renumber(doc, { at, by: -1, sentence });
}

function columnsIn(args: Args): Columns | undefined {
  const given = COLUMNS.filter((name) => args[name] !== undefined && args[name] !== (name === "space" ? " " : "_"));
  const columns: Columns = Object.fromEntries(given.map((name) => [name, String(args[name])]));
  const extra = Object.entries((args["extra"] as Columns["extra"] | null | undefined) ?? {}).filter(([, value]) => value !== "_");
  if (extra.length) columns.extra = Object.fromEntries(extra);
  return Object.keys(columns).length ? columns : undefined;
}

function sentenceOf(doc: Doc, position: number): number {
  const number = doc.sentenceAt(position);
  if (number < 0 || position >= doc.sentences[number]!.end) throw new EditError("An empty node belongs to a sentence.");
  return number;
}

function partsOf(id: string): [word: number, zero: number] {
  const found = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(id);
  if (!found) throw new EditError(`The words of this sentence are not numbered: “${id}”.`);
  return [Number(found[1]), Number(found[2] ?? 0)];
}

/** Return new ids for the empty nodes of a word from a position on. */
function shifted(doc: Doc, sentence: number, start: number, word: number, by: number): Map<string, string> {
  const renamed = new Map<string, string>();
  for (let at = start; at < doc.sentences[sentence]!.end; at++) {
    const id = doc.words.ids[at]!;
    const [own, number] = partsOf(id);
    if (own !== word || !doc.isZero(at)) break;
    renamed.set(id, `${word}.${number + by}`);
  }
  return renamed;
}

/** Replace ids from a position on, and references to them as parents in the sentence. */
function rename(doc: Doc, sentence: number, renamed: Map<string, string>, from: number): void {
  if (!renamed.size) return;
  const { ids, columns } = doc.words;
  const to = (id: string): string => renamed.get(id) ?? id;
  for (let at = doc.sentences[sentence]!.start; at < doc.sentences[sentence]!.end; at++) {
    if (at >= from) ids[at] = to(ids[at]!);
    const old = columns[at];
    if (old === undefined) continue;
    const now = { ...old };
    if (old["head"]) now["head"] = to(old["head"]);
    if (old["deps"]) now["deps"] = old["deps"].split("|").map((arc) => arc.replace(/^[^:]*/, to)).join("|");
    columns[at] = now;
  }
}

function parentsOf(columns: Columns | undefined): string[] {
  const arcs = columns?.["deps"]?.split("|") ?? [];
  return [columns?.["head"] ?? "_", ...arcs.map((arc) => arc.split(":")[0]!)];
}

function checkRemovable(doc: Doc, at: number, sentence: number): void {
  if (!doc.isZero(at)) throw new EditError("Only empty nodes can be removed; this is a word of the text.");
  const { start, end } = doc.sentences[sentence]!;
  if (end - start === 1) throw new EditError("The sentence contains only this empty node.");
  for (let other = start; other < end; other++) {
    if (other !== at && parentsOf(doc.words.columns[other]).includes(doc.words.ids[at]!)) {
      throw new EditError("The empty node has dependents in the tree and cannot be removed.");
    }
  }
  for (const mention of doc.over[at] ?? []) {
    const [rest] = shrunk(mention, at);
    if (!rest.length) throw new EditError("The empty node is a mention; remove the mention first.");
    const isTaken = mention.entity.mentions.some((other) => other !== mention && same(shrunk(other, at)[0], rest));
    if (isTaken) throw new EditError(`Without this empty node, two mentions of “${mention.entity.id}” would be identical.`);
  }
}

/** Return a mention's positions after a word was inserted. */
export function grown({ positions, head }: Pick<Mention, "positions" | "head">, at: number): Place {
  if (at > positions.at(-1)!) return [positions, head];
  const moved = positions.map((position) => (position >= at ? position + 1 : position));
  if (positions.includes(at) && positions.includes(at - 1)) moved.splice(positions.indexOf(at), 0, at);
  return [moved, head === null || head < at ? head : head + 1];
}

/** Return a mention's positions after a word was removed. */
export function shrunk({ positions, head }: Pick<Mention, "positions" | "head">, at: number): Place {
  if (at > positions.at(-1)!) return [positions, head];
  const rest = positions.filter((position) => position !== at).map((position) => (position > at ? position - 1 : position));
  if (head === null || head === at) return [rest, null];
  return [rest, head > at ? head - 1 : head];
}

/** Update all positions after a move; the mentions have already been moved. */
function renumber(doc: Doc, move: Move): void {
  const { at, by } = move;
  for (let number = move.sentence; number < doc.sentences.length; number++) {
    const sentence = doc.sentences[number]!;
    if (number > move.sentence) sentence.start += by;
    sentence.end += by;
  }
  doc.dirty = new Set([...doc.dirty].map((position) => (position >= at ? position + by : position)));
  const reshaped: Mention[] = [];
  for (const entity of doc.entities.values()) {
    for (const mention of entity.mentions) {
      if (mention.positions.at(-1)! < at) continue;
      const size = mention.positions.length;
      [mention.positions, mention.head] = by > 0 ? grown(mention, at) : shrunk(mention, at);
      if (mention.positions.length !== size) reshaped.push(mention);
    }
  }
  for (const mention of reshaped) {
    mention.entity.mentions.sort(compareMentions);
    if (by > 0) (doc.over[at] ??= []).push(mention);
    for (const position of mention.positions) doc.over[position]?.sort(compareMentions);
    doc.touch([mention]);
  }
  doc.moves.push(move);
}
