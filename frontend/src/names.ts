/** Names of mentions and entities in lists and announcements. */

import { type Doc, type Entity, type Mention } from "./model";

const LONGEST = 60;
/** The number of mentions of a large entity that are searched for a name. */
const LOOKED_AT = 50;
const MOST_WORDS = 5;

export function wordAt(doc: Doc, at: number): string {
  const form = doc.words.forms[at]!;
  if (!doc.isZero(at)) return form;
  return form === "_" ? "∅" : `∅ ${form}`;
}

export function textOf(doc: Doc, positions: readonly number[]): string {
  let text = "";
  positions.forEach((position, index) => {
    text += wordAt(doc, position);
    const next = positions[index + 1];
    if (next === undefined) return;
    text += next > position + 1 ? " … " : doc.words.joined[position] ? "" : " ";
  });
  return text;
}

export function mentionName(doc: Doc, { positions }: Mention): string {
  return short(textOf(doc, positions));
}

/** Return the text of the most informative mention: the longest one that is still short enough for a name. */
export function entityName(doc: Doc, entity: Entity): string {
  let best = entity.mentions[0]!;
  for (const mention of entity.mentions.slice(1, LOOKED_AT)) if (worth(mention) > worth(best)) best = mention;
  return mentionName(doc, best);
}

function worth({ positions: { length } }: Mention): number {
  return length <= MOST_WORDS ? length : MOST_WORDS / length;
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** Return a number with its noun. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
