/** The document in the browser: words, sentences, entities and the relations between them.
 *
 * The edits of `edits.ts` change it in place, so that the cost of an edit depends only on the mentions it touches.
 * Arrays of positions are never changed, only replaced, so references to them stay valid.
 */

export type Attributes = Record<string, string>;
export type Kind = "entity" | "event";
/** The columns of CoNLL-U by name; `extra` holds those that only CoNLL-U Plus has. */
export interface Columns {
  [name: string]: string | Record<string, string> | undefined;
  head?: string;
  deps?: string;
  extra?: Record<string, string>;
}

export interface Edit {
  name: string;
  arguments: Record<string, unknown>;
}

export interface Mention {
  entity: Entity;
  positions: readonly number[];
  head: number | null;
  attributes: Attributes;
}

export interface Entity {
  id: string;
  type: string | null;
  kind: Kind;
  attributes: Attributes;
  /** In reading order. */
  mentions: Mention[];
}

export interface Bridge {
  readonly anaphor: Mention;
  readonly antecedent: string;
  readonly relation: string | null;
}

export interface Split {
  readonly anaphor: Mention;
  readonly antecedents: readonly string[];
}

export interface Sentence {
  start: number;
  end: number;
  speaker: string | null;
  /** Whether a paragraph begins here. */
  opens: boolean;
}

/** The words as columns, since a novel has 200,000 of them. */
export interface Words {
  forms: string[];
  /** Whether no space follows. */
  joined: boolean[];
  /** "3" for a word, "3.1" for an empty node. */
  ids: string[];
  /** All columns of empty nodes; the parents of words if one of them is an empty node. */
  columns: (Columns | undefined)[];
  /** The multiword token that contains the word ("del" for "de" and "el"): one object for all its parts. */
  surfaces: ({ form: string } | undefined)[];
}

/** A word was added (by 1) or removed (by -1) in this sentence, so all later positions moved. */
export interface Move {
  at: number;
  by: 1 | -1;
  sentence: number;
}

/** An edit that does not fit the document. */
export class EditError extends Error {}

export class Doc {
  entities = new Map<string, Entity>();
  bridges: readonly Bridge[] = [];
  splits: readonly Split[] = [];
  /** The mentions at each position in reading order; undefined if there is none. */
  over: (Mention[] | undefined)[];
  /** Positions whose look has changed since the last update of the page. */
  dirty = new Set<number>();
  /** All moves since the document was opened. */
  moves: Move[] = [];

  constructor(
    readonly id: string | null,
    readonly language: string | null,
    readonly sharesIds: boolean,
    readonly words: Words,
    readonly sentences: Sentence[],
  ) {
    this.over = new Array<Mention[] | undefined>(words.forms.length);
  }

  get length(): number {
    return this.words.forms.length;
  }

  isZero(at: number): boolean {
    return this.words.ids[at]!.includes(".");
  }

  entity(id: unknown): Entity {
    const found = this.entities.get(String(id));
    if (!found) throw new EditError(`There is no entity “${String(id)}” here.`);
    return found;
  }

  mention(entity: unknown, positions: unknown): Mention {
    const owner = this.entity(entity);
    const found = mentionAt(this, owner, this.positions(positions));
    if (!found) throw new EditError(`“${owner.id}” has no such mention.`);
    return found;
  }

  /** Return sorted, unique positions; throw if one is outside the document. */
  positions(given: unknown): number[] {
    const sorted = [...new Set(given as number[])].sort((a, b) => a - b);
    if (!sorted.length) throw new EditError("A mention needs at least one word.");
    if (sorted[0]! < 0 || sorted.at(-1)! >= this.length) throw new EditError("The text ends here.");
    return sorted;
  }

  /** Return the first free id of e1, e2, …, with the document's prefix if documents share ids. */
  freshId(): string {
    const prefix = this.sharesIds && this.id ? `${this.id}_e` : "e";
    let number = 1;
    while (this.entities.has(`${prefix}${number}`)) number++;
    return `${prefix}${number}`;
  }

  sentenceAt(position: number): number {
    return lastBefore(this.sentences.length, (number) => this.sentences[number]!.start <= position);
  }

  /** Register a mention at its words. */
  cover(mention: Mention): void {
    for (const position of mention.positions) {
      const list = (this.over[position] ??= []);
      list.splice(placeFor(list, mention), 0, mention);
      this.dirty.add(position);
    }
  }

  uncover(mention: Mention): void {
    for (const position of mention.positions) {
      const list = this.over[position]!;
      if (list.length > 1) list.splice(list.indexOf(mention), 1);
      else this.over[position] = undefined;
      this.dirty.add(position);
    }
  }

  /** Mark the words of mentions for repainting. */
  touch(mentions: Iterable<Mention>): void {
    for (const { positions } of mentions) for (const position of positions) this.dirty.add(position);
  }
}

/** Return the entity's mention of exactly these words. */
export function mentionAt(doc: Doc, entity: Entity, positions: readonly number[]): Mention | undefined {
  return doc.over[positions[0]!]?.find((mention) => mention.entity === entity && same(mention.positions, positions));
}

export function insertMention(entity: Entity, mention: Mention): void {
  entity.mentions.splice(placeFor(entity.mentions, mention), 0, mention);
}

function placeFor(mentions: Mention[], mention: Mention): number {
  return lastBefore(mentions.length, (at) => compareMentions(mentions[at]!, mention) <= 0) + 1;
}

/** Return the last number below `length` for which a monotonic condition holds, -1 if for none. */
export function lastBefore(length: number, holds: (number: number) => boolean): number {
  let low = -1;
  let high = length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Compare by reading order: earlier start first, then longer first. */
export function compareMentions({ positions: a }: Mention, { positions: b }: Mention): number {
  const difference = a[0]! - b[0]! || b.at(-1)! - a.at(-1)! || b.length - a.length;
  if (difference) return difference;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return 0;
}

export function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at]);
}
