/** Blocks of text: some sentences of one speaker, as one paragraph of the page; and sections of some blocks.
 *
 * The browser lays out and observes sections: a novel has a few hundred sections and thousands of blocks. A section is
 * an empty box of about the right height until its words are written.
 */

import { type Doc, lastBefore } from "./model";

const MOST_WORDS = 240;
const SECTION_WORDS = 1000;
/** The approximate height per word, for sections that were never visible. */
const HEIGHT_OF_WORD = 3;

export interface Block {
  section: Section;
  /** Its paragraph, once its section is written. */
  element: HTMLElement | null;
  /** Its first sentence, and the one after its last. */
  from: number;
  to: number;
  /** The position of its first word. */
  start: number;
  size: number;
  isStale: boolean;
  /** The last painted style of each word. */
  painted: string[];
  /** Its words as elements, cached. */
  words: HTMLElement[] | null;
  /** The number of levels of lines, as last set on the page. */
  depth: number;
  isRightToLeft: boolean;
}

export interface Section {
  element: HTMLElement;
  blocks: Block[];
  isWritten: boolean;
}

/** Create the sections of the document, still without words. */
export function makeSections(container: HTMLElement, doc: Doc): Section[] {
  const { sentences } = doc;
  const sections: Section[] = [];
  let end = 0;
  let from = 0;
  sentences.forEach((sentence, number) => {
    const next = sentences[number + 1];
    const start = sentences[from]!.start;
    if (next && !next.opens && next.speaker === sentence.speaker && next.end - start <= MOST_WORDS) return;
    if (start >= end) {
      sections.push({ element: document.createElement("section"), blocks: [], isWritten: false });
      end = start + SECTION_WORDS;
    }
    const section = sections.at(-1)!;
    const to = number + 1;
    section.blocks.push({
      section, element: null, from, to, start, size: sentence.end - start, isStale: true, painted: [], words: null, depth: 0,
      isRightToLeft: runsLeft(doc, start, sentence.end),
    });
    from = to;
  });
  for (const { element, blocks } of sections) {
    const height = `${blocks.reduce((sum, block) => sum + block.size, 0) * HEIGHT_OF_WORD}px`;
    element.style.containIntrinsicSize = `auto none auto ${height}`;
    element.style.minHeight = height;
  }
  container.replaceChildren(...sections.map(({ element }) => element));
  return sections;
}

/** Write the words of a section as elements. */
export function write(section: Section, doc: Doc): void {
  if (section.isWritten) return;
  section.isWritten = true;
  const html = (block: Block): string => `<p dir="${block.isRightToLeft ? "rtl" : "ltr"}"${attributes(doc, block)}>${contents(doc, block)}</p>`;
  section.element.innerHTML = section.blocks.map(html).join("");
  section.element.style.minHeight = "";
  section.blocks.forEach((block, number) => {
    block.element = section.element.children[number] as HTMLElement;
    owners.set(block.element, block);
  });
}

const owners = new WeakMap<Element, Block>();

/** Return the block of a paragraph. */
export function blockOf(paragraph: Element): Block | undefined {
  return owners.get(paragraph);
}

export function blockAt(blocks: Block[], position: number): Block | undefined {
  return blocks[lastBefore(blocks.length, (number) => blocks[number]!.start <= position)];
}

/** Return the paragraph of a block; write it if necessary. */
export function elementOf(block: Block, doc: Doc): HTMLElement {
  write(block.section, doc);
  return block.element!;
}

export function wordsOf(block: Block, doc: Doc): HTMLElement[] {
  return (block.words ??= [...elementOf(block, doc).getElementsByTagName("i")]);
}

/** After a word was added or removed, rewrite its block and move the later ones. */
export function moveBlocks(blocks: Block[], doc: Doc, sentence: number, by: number): void {
  for (const block of blocks) {
    if (block.from > sentence) block.start += by;
    else if (block.to > sentence) {
      block.size += by;
      block.words = null;
      block.painted = [];
      block.isStale = true;
      if (block.element) block.element.innerHTML = contents(doc, block);
    }
  }
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Determine the direction by the first letter, as browsers do; asking the browser would force a layout. */
function runsLeft(doc: Doc, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const letter = doc.isZero(at) ? null : LETTER.exec(doc.words.forms[at]!);
    if (letter) return RIGHT_TO_LEFT.test(letter[0]);
  }
  return false;
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
      const space = joined[at] ? "" : " ";
      const surface = surfaces[at];
      if (doc.isZero(at)) parts.push(`<i class="zero">∅<small>${escape(written(forms[at]!))}</small>${space}</i>`);
      else if (surface) {
        const after = surface === surfaces[at + 1] ? "·" : space;
        parts.push(`<i title="${escape(surface.form)}">${escape(forms[at]!)}${after}</i>`);
      } else parts.push("<i>", escape(forms[at]!), space, "</i>");
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
