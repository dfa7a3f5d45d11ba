/** Documents as sent by the server (`coindex.annotation_app.views.editor`) and, for tests, as sent back. */

import { type Attributes, type Columns, compareMentions, Doc, type Kind, type Mention, type Sentence, type Words } from "./model";

/** Starts and ends of its spans, head, attributes. */
type PackedMention = [number[], (number | null)?, Attributes?];
type PackedEntity = [string, PackedMention[], (string | null)?, boolean?, Attributes?];

export interface Payload {
  id?: string;
  language?: string;
  shared_ids?: boolean;
  forms: string[];
  /** Missing if words are numbered from 1 in each sentence and empty nodes from 1 after each word. */
  ids?: string[];
  /** The positions after which there is no space. */
  joined: number[];
  /** The positions of empty nodes. */
  zeros: number[];
  multiwords: [number, number, string][];
  columns: [number, Columns][];
  /** For each sentence: start and end, 1 if a paragraph begins, its speaker. */
  sentences: [number, number, number, string?][];
  entities: PackedEntity[];
  bridges?: [string, PackedMention, string, string | null][];
  splits?: [string, PackedMention, string[]][];
}

export function unpack(data: Payload): Doc {
  const sentences = data.sentences.map(([start, end, opens, speaker]) => ({
    start,
    end,
    opens: opens === 1,
    speaker: speaker ?? null,
  }));
  const doc = new Doc(data.id ?? null, data.language ?? null, data.shared_ids ?? false, unpackWords(data, sentences), sentences);
  for (const [id, mentions, type, isEvent, attributes] of data.entities) {
    const kind: Kind = isEvent ? "event" : "entity";
    const entity = { id, type: type ?? null, kind, attributes: attributes ?? {}, mentions: [] as Mention[] };
    doc.entities.set(id, entity);
    for (const [borders, head, own] of mentions) {
      const mention = { entity, positions: positionsOf(borders), head: head ?? null, attributes: own ?? {} };
      entity.mentions.push(mention);
      for (const position of mention.positions) (doc.over[position] ??= []).push(mention);
    }
    entity.mentions.sort(compareMentions);
  }
  for (const list of doc.over) if (list && list.length > 1) list.sort(compareMentions);
  doc.bridges = (data.bridges ?? []).map(([entity, [borders], antecedent, relation]) => ({
    anaphor: doc.mention(entity, positionsOf(borders)),
    antecedent,
    relation,
  }));
  doc.splits = (data.splits ?? []).map(([entity, [borders], antecedents]) => ({
    anaphor: doc.mention(entity, positionsOf(borders)),
    antecedents,
  }));
  return doc;
}

function unpackWords(data: Payload, sentences: Sentence[]): Words {
  const { forms } = data;
  const joined = new Array<boolean>(forms.length).fill(false);
  for (const position of data.joined) joined[position] = true;
  const columns = new Array<Columns | undefined>(forms.length);
  for (const [position, given] of data.columns) columns[position] = given;
  const surfaces = new Array<{ form: string } | undefined>(forms.length);
  for (const [start, end, form] of data.multiwords) surfaces.fill({ form }, start, end);
  return { forms, joined, ids: data.ids ?? plainIds(forms.length, new Set(data.zeros), sentences), columns, surfaces };
}

function plainIds(length: number, zeros: Set<number>, sentences: Sentence[]): string[] {
  const ids = new Array<string>(length).fill("");
  for (const { start, end } of sentences) {
    let word = 0;
    let zero = 0;
    for (let at = start; at < end; at++) {
      if (zeros.has(at)) ids[at] = `${word}.${++zero}`;
      else {
        ids[at] = String(++word);
        zero = 0;
      }
    }
  }
  return ids;
}

function positionsOf(borders: number[]): number[] {
  const positions: number[] = [];
  for (let at = 0; at < borders.length; at += 2) {
    for (let position = borders[at]!; position < borders[at + 1]!; position++) positions.push(position);
  }
  return positions;
}

/** Convert a document back to a payload, with all ids. */
export function pack(doc: Doc): Payload {
  const { words } = doc;
  const positions = [...words.forms.keys()];
  const isTold = (at: number): boolean => Object.keys(words.columns[at] ?? {}).length > 0;
  return {
    forms: words.forms,
    ids: words.ids,
    joined: positions.filter((at) => words.joined[at]),
    zeros: positions.filter((at) => doc.isZero(at)),
    multiwords: packSurfaces(words),
    columns: positions.filter(isTold).map((at) => [at, words.columns[at]!]),
    sentences: doc.sentences.map(({ start, end, opens, speaker }) =>
      speaker === null ? [start, end, Number(opens)] : [start, end, Number(opens), speaker],
    ),
    entities: [...doc.entities.values()].map(({ id, mentions, type, kind, attributes }) => [
      id,
      mentions.map(packMention),
      type,
      kind === "event",
      attributes,
    ]),
    bridges: doc.bridges.map(({ anaphor, antecedent, relation }) => [anaphor.entity.id, packMention(anaphor), antecedent, relation]),
    splits: doc.splits.map(({ anaphor, antecedents }) => [anaphor.entity.id, packMention(anaphor), [...antecedents]]),
  };
}

function packSurfaces({ surfaces }: Words): [number, number, string][] {
  const found: [number, number, string][] = [];
  surfaces.forEach((surface, at) => {
    if (surface === undefined) return;
    if (at > 0 && surfaces[at - 1] === surface) found.at(-1)![1] = at + 1;
    else found.push([at, at + 1, surface.form]);
  });
  return found;
}

function packMention({ positions, head, attributes }: Mention): PackedMention {
  const borders: number[] = [];
  for (const position of positions) {
    if (borders.at(-1) === position) borders[borders.length - 1]!++;
    else borders.push(position, position + 1);
  }
  return [borders, head, attributes];
}
