/** The text on the page: every word is an element, so that a whole novel is one scroll.
 *
 * Blocks near the viewport are written at once, the others when the browser is idle. The lines under the words are
 * painted when a block comes near the viewport, and again after an edit of the block.
 */

import { type Block, blockAt, blockOf, elementOf, makeSections, moveBlocks, type Section, wordsOf, write } from "./blocks";
import { colour } from "./colours";
import { levelsOf, linesUnder } from "./lines";
import { type Doc, type Mention } from "./model";

export interface Look {
  selection: Set<number>;
  caret: number;
  mention: Mention | null;
  /** The id of the highlighted entity. */
  entity: string | null;
  /** The positions of search matches; a new set for each search. */
  found: Set<number>;
}

type Marks = Record<"selected" | "held" | "caret", Set<number>>;

export class TextView {
  private blocks: Block[];
  private visible = new Set<Block>();
  private moves = 0;
  private marks: Marks = { selected: new Set(), held: new Set(), caret: new Set() };
  private entity: string | null = null;
  private found = new Set<number>();

  constructor(
    private container: HTMLElement,
    private doc: Doc,
  ) {
    const sections = makeSections(container, doc);
    this.blocks = sections.flatMap(({ blocks }) => blocks);
    const byElement = new Map(sections.map((section) => [section.element as Element, section]));
    const see = (entries: IntersectionObserverEntry[]): void => {
      for (const { target, isIntersecting } of entries) this.see(byElement.get(target)!, isIntersecting);
    };
    const observer = new IntersectionObserver(see, { root: container, rootMargin: "300px 0px" });
    for (const { element } of sections) observer.observe(element);
    if (sections[0]) this.see(sections[0], true); // so that the first picture has words
    whenIdle(sections, (section) => write(section, doc));
  }

  private see(section: Section, isNear: boolean): void {
    if (isNear) write(section, this.doc);
    for (const block of section.blocks) {
      if (!isNear) this.visible.delete(block);
      else {
        this.visible.add(block);
        if (block.isStale) this.paint(block);
      }
    }
  }

  /** Update the page to the current document and selection. */
  update(look: Look): void {
    this.unmark();
    for (; this.moves < this.doc.moves.length; this.moves++) {
      const { sentence, by } = this.doc.moves[this.moves]!;
      moveBlocks(this.blocks, this.doc, sentence, by);
    }
    for (const position of this.doc.dirty) this.spoil(position);
    this.doc.dirty.clear();
    if (look.entity !== this.entity) {
      for (const id of [look.entity, this.entity]) this.spoilEntity(id);
      this.entity = look.entity;
    }
    if (look.found !== this.found) {
      for (const block of this.blocks) block.isStale = true;
      this.found = look.found;
    }
    for (const block of this.visible) if (block.isStale) this.paint(block);
    this.mark({ selected: look.selection, held: new Set(look.mention?.positions), caret: new Set([look.caret]) });
  }

  private spoil(position: number): void {
    const block = blockAt(this.blocks, position);
    if (block) block.isStale = true;
  }

  private spoilEntity(id: string | null): void {
    const entity = id === null ? undefined : this.doc.entities.get(id);
    for (const { positions } of entity?.mentions ?? []) {
      this.spoil(positions[0]!);
      this.spoil(positions.at(-1)!);
    }
  }

  private unmark(): void {
    for (const [name, positions] of Object.entries(this.marks)) {
      for (const at of positions) this.word(at)?.classList.remove(name);
    }
  }

  private mark(marks: Marks): void {
    this.marks = marks;
    for (const [name, positions] of Object.entries(marks)) for (const at of positions) this.word(at)?.classList.add(name);
  }

  private word(at: number): HTMLElement | undefined {
    const block = blockAt(this.blocks, at);
    return block && wordsOf(block, this.doc)[at - block.start];
  }

  private paint(block: Block): void {
    block.isStale = false;
    const levels = levelsOf(this.doc, block.start, block.start + block.size);
    let depth = 0;
    for (const level of levels.values()) depth = Math.max(depth, level + 1);
    if (depth !== block.depth) elementOf(block, this.doc).style.setProperty("--depth", String((block.depth = depth)));
    const { isRightToLeft } = block;
    wordsOf(block, this.doc).forEach((word, index) => {
      const at = block.start + index;
      const isFound = this.found.has(at);
      const isInHand = this.doc.over[at]?.some((mention) => mention.entity.id === this.entity) ?? false;
      const lines = linesUnder(this.doc, at, levels, isRightToLeft);
      // Most words of a block are unchanged, so do not touch their styles.
      const look = `${isFound ? "!" : ""}${lines.image}${lines.size}${lines.position}${isInHand ? this.entity! : ""}`;
      if (look === (block.painted[index] ?? "")) return;
      block.painted[index] = look;
      word.classList.toggle("found", isFound);
      const { style } = word;
      style.backgroundImage = lines.image;
      style.backgroundSize = lines.size;
      style.backgroundPosition = lines.position;
      style.backgroundColor = isInHand ? `color-mix(in oklab, ${colour(this.entity!)} 20%, transparent)` : "";
    });
  }

  /** Return the position of the word at an element, or -1. */
  positionOf(target: EventTarget | null): number {
    const word = target instanceof Element ? target.closest<HTMLElement>("i") : null;
    const block = word && blockOf(word.parentElement!);
    return block ? block.start + wordsOf(block, this.doc).indexOf(word) : -1;
  }

  isRightToLeft(at: number): boolean {
    const block = blockAt(this.blocks, at);
    return block?.isRightToLeft ?? false;
  }

  /** Return the nearest word in the line above or below. */
  vertically(at: number, direction: 1 | -1): number {
    const from = this.word(at)?.getBoundingClientRect();
    if (!from) return at;
    const middle = (box: DOMRect): number => box.left + box.width / 2;
    let best = at;
    let line: number | null = null;
    let nearest = Infinity;
    for (let next = at + direction; next >= 0 && next < this.doc.length; next += direction) {
      const box = this.word(next)!.getBoundingClientRect();
      if (Math.abs(box.top - from.top) < from.height / 2) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > from.height / 2) break;
      const distance = Math.abs(middle(box) - middle(from));
      if (distance < nearest) [nearest, best] = [distance, next];
    }
    return best;
  }

  /** Scroll a word into view. */
  reveal(at: number): void {
    const word = this.word(at);
    if (!word) return;
    const frame = this.container.getBoundingClientRect();
    const isSeen = (): boolean => {
      const { top, bottom } = word.getBoundingClientRect();
      return top > frame.top + 40 && bottom < frame.bottom - 60;
    };
    // Twice, because blocks that become visible have other heights than estimated.
    for (let time = 0; time < 2 && !isSeen(); time++) word.scrollIntoView({ block: "center" });
  }
}

/** Call a function for each item while the browser is idle. */
function whenIdle<T>(all: T[], act: (one: T) => void): void {
  const later = window.requestIdleCallback ?? ((go: IdleRequestCallback) => setTimeout(go, 20, { timeRemaining: () => 10 }));
  let next = 0;
  const go = (deadline: Pick<IdleDeadline, "timeRemaining">): void => {
    do act(all[next]!);
    while (++next < all.length && deadline.timeRemaining() > 5);
    if (next < all.length) later(go);
  };
  if (all.length) later(go);
}
