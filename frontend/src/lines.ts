/** The lines under the words: one for each mention in its entity's colour, the shorter ones nearer to the words. */

import { colour } from "./colours";
import { type Doc, type Mention } from "./model";

const THICK = 3;
const THICK_AT_HEAD = 5;
const DISTANCE = 6;
/** The approximate width of a space, which is subtracted so that a line ends with its last word. */
const SPACE_WIDTH = ".27em";

/** Return the level of the line of each mention below the words: 0 for the innermost. */
export function levelsOf(doc: Doc, start: number, end: number): Map<Mention, number> {
  const mentions = new Set<Mention>();
  for (let at = start; at < end; at++) for (const mention of doc.over[at] ?? []) mentions.add(mention);
  const used = new Array<number>(end - start).fill(0);
  const levels = new Map<Mention, number>();
  const width = ({ positions }: Mention): number => positions.at(-1)! - positions[0]!;
  for (const mention of [...mentions].sort((a, b) => width(a) - width(b) || a.positions[0]! - b.positions[0]!)) {
    const first = Math.max(mention.positions[0]!, start) - start;
    const last = Math.min(mention.positions.at(-1)!, end - 1) - start;
    let level = 0;
    for (let at = first; at <= last; at++) level = Math.max(level, used[at]!);
    used.fill(level + 1, first, last + 1);
    levels.set(mention, level);
  }
  return levels;
}

export interface Lines {
  image: string;
  size: string;
  position: string;
}

const NONE: Lines = { image: "", size: "", position: "" };

/** Return the lines under one word as backgrounds. */
export function linesUnder(doc: Doc, at: number, levels: Map<Mention, number>, isRightToLeft: boolean): Lines {
  const over = doc.over[at];
  if (!over) return NONE;
  const parts: [string, string, string][] = over.map((mention) => {
    const { positions, head } = mention;
    const ink = colour(mention.entity.id);
    const isDiscontinuous = positions.at(-1)! - positions[0]! >= positions.length;
    const isFirst = positions[0] === at;
    const isLast = positions.at(-1) === at || (isDiscontinuous && !positions.includes(at + 1));
    const height = head === at && positions.length > 1 ? THICK_AT_HEAD : THICK;
    const gap = isFirst ? 1 : 0;
    const space = isLast && !doc.words.joined[at] ? SPACE_WIDTH : "0px";
    return [
      isDiscontinuous ? `repeating-linear-gradient(90deg,${ink} 0 5px,transparent 5px 8px)` : `linear-gradient(${ink},${ink})`,
      `calc(100% - ${space} - ${gap}px) ${height}px`,
      `${isRightToLeft ? "right" : "left"} ${gap}px top calc(1.36em + ${levels.get(mention)! * DISTANCE}px)`,
    ];
  });
  const [image, size, position] = [0, 1, 2].map((column) => parts.map((part) => part[column as 0]).join(","));
  return { image: image!, size: size!, position: position! };
}
