/** Blocks of text: some sentences of one speaker, as one paragraph of the page; and sections of some blocks.
 *
 * The browser lays out and watches sections: a few hundred of them, where a novel has thousands of blocks.
 */

import { type Doc, lastBefore } from "./model";

const MOST_WORDS = 240;
const SECTION_WORDS = 1000;
/** About what a word takes of a page's height, for sections that were never seen. */
const HEIGHT_OF_WORD = 3;

export interface Block {
  element: HTMLElement;
  /** Its first sentence, and the one after its last. */
  from: number;
  to: number;
  /** The position of its first word. */
  start: number;
  size: number;
  isStale: boolean;
  /** How each word was painted last. */
  painted: string[];
  /** Its words as elements, once somebody asked for them. */
  words: HTMLElement[] | null;
  /** Once it was asked for, since the browser has to look at the text to know. */
  isRightToLeft?: boolean;
}

/** The document as blocks, which are yet to be written into `container`. */
export function makeBlocks(container: HTMLElement, doc: Doc): Block[] {
  const { sentences } = doc;
  const blocks: Block[] = [];
  let from = 0;
  sentences.forEach((sentence, number) => {
    const next = sentences[number + 1];
    const start = sentences[from]!.start;
    if (next && !next.opens && next.speaker === sentence.speaker && next.end - start <= MOST_WORDS) return;
    const to = number + 1;
    blocks.push({ element: container, from, to, start, size: sentence.end - start, isStale: true, painted: [], words: null });
    from = to;
  });
  return blocks;
}

/** The blocks on the page, in sections. */
export function writeBlocks(container: HTMLElement, doc: Doc, blocks: Block[]): Map<Element, Block[]> {
  const groups: Block[][] = [];
  let end = 0;
  for (const block of blocks) {
    if (block.start >= end) {
      groups.push([]);
      end = block.start + SECTION_WORDS;
    }
    groups.at(-1)!.push(block);
  }
  const html = (block: Block): string => `<p dir="auto"${attributes(doc, block)}>${contents(doc, block)}</p>`;
  container.innerHTML = groups.map((group) => `<section>${group.map(html).join("")}</section>`).join("");
  return new Map(groups.map((group, number) => [container.children[number]!, place(container.children[number] as HTMLElement, group)]));
}

function place(section: HTMLElement, group: Block[]): Block[] {
  group.forEach((block, number) => (block.element = section.children[number] as HTMLElement));
  const size = group.reduce((sum, block) => sum + block.size, 0);
  section.style.containIntrinsicSize = `auto none auto ${size * HEIGHT_OF_WORD}px`;
  return group;
}

export function blockAt(blocks: Block[], position: number): Block | undefined {
  return blocks[lastBefore(blocks.length, (number) => blocks[number]!.start <= position)];
}

export function wordsOf(block: Block): HTMLElement[] {
  return (block.words ??= [...block.element.getElementsByTagName("i")]);
}

/** A word came or went in a sentence: the block that holds it is written anew, those after it move. */
export function moveBlocks(blocks: Block[], doc: Doc, sentence: number, by: number): void {
  for (const block of blocks) {
    if (block.from > sentence) block.start += by;
    else if (block.to > sentence) {
      block.size += by;
      block.words = null;
      block.painted = [];
      block.isStale = true;
      block.element.innerHTML = contents(doc, block);
    }
  }
}

function attributes(doc: Doc, { from }: Block): string {
  return doc.sentences[from]!.opens && from > 0 ? ' class="opens"' : "";
}

function contents(doc: Doc, { from, to }: Block): string {
  const { forms, joined, surfaces } = doc.words;
  const first = doc.sentences[from]!;
  const parts: string[] = [];
  if (first.speaker && doc.sentences[from - 1]?.speaker !== first.speaker) {
    parts.push(`<b class="speaker">${escape(first.speaker)}</b> `);
  }
  for (let number = from; number < to; number++) {
    const { start, end } = doc.sentences[number]!;
    for (let at = start; at < end; at++) {
      const blank = joined[at] ? "" : " ";
      const surface = surfaces[at];
      if (doc.isZero(at)) parts.push(`<i class="zero">∅<small>${escape(written(forms[at]!))}</small>${blank}</i>`);
      else if (surface) {
        const after = surface === surfaces[at + 1] ? "·" : blank;
        parts.push(`<i title="${escape(surface.form)}">${escape(forms[at]!)}${after}</i>`);
      } else parts.push("<i>", escape(forms[at]!), blank, "</i>");
    }
  }
  return parts.join("");
}

function written(form: string): string {
  return form === "_" ? "" : form;
}

const SPECIAL: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escape(text: string): string {
  return /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (character) => SPECIAL[character]!) : text;
}
