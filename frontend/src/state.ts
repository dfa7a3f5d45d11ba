/** State of the editor: the caret, the selected mention and entity, edits, search. */

import { address, edit } from "./edits";
import { type Act, History } from "./history";
import { type Doc, type Edit, EditError, type Entity, type Mention, same } from "./model";
import { madeBy } from "./rebase";
import { search } from "./search";
import { type How, Selection } from "./selection";

/** The maximum that the server accepts in one step. */
const MOST_EDITS = 20_000;

export interface Outside {
  /** The page must be redrawn. */
  changed: () => void;
  /** Record edits to send to the server. */
  record: (act: Act, edits: Edit[], made?: string[]) => void;
  /** Ask the server to undo or redo an earlier step; false if it cannot be reached now. */
  ask: (act: Act) => boolean;
  /** Whether such a request is pending; nothing may be changed until then. */
  isAsking: () => boolean;
}

export class Editor {
  readonly selection = new Selection();
  mention: Mention | null = null;
  entity: string | null = null;
  /** The entity of the last mark or link: the next link goes there. */
  target: string | null = null;
  found: number[][] = [];
  message = "";
  /** Grows with every change of the document, so that lists are rebuilt only then. */
  version = 0;
  private moves = 0;

  constructor(
    readonly doc: Doc,
    readonly history: History,
    readonly isReadOnly: boolean,
    private outside: Outside,
  ) {}

  get caret(): number {
    return this.selection.caret;
  }

  /** The selected entity. */
  get chosenEntity(): Entity | undefined {
    return this.entity === null ? undefined : this.doc.entities.get(this.entity);
  }

  // --- the place

  moveTo(at: number, how: How = {}): void {
    if (!this.doc.length) return;
    const place = Math.max(0, Math.min(at, this.doc.length - 1));
    const isThere = place === this.caret && this.selection.isEmpty;
    this.selection.moveTo(place, how);
    if (!how.extend && !how.add) this.choose(this.smallest(place, isThere));
    else if (how.add) this.choose(null);
    this.outside.changed();
  }

  /** Start another range at a word. */
  beginPiece(at: number): void {
    this.selection.begin(at);
    this.choose(null);
    this.outside.changed();
  }

  togglePiece(): void {
    this.selection.toggle();
    this.outside.changed();
  }

  /** Select the smallest mention at a word, or the next larger one if it is already selected. */
  private smallest(at: number, again: boolean): Mention | null {
    const order = [...(this.doc.over[at] ?? [])].sort((a, b) => a.positions.length - b.positions.length);
    const now = again && this.mention ? order.indexOf(this.mention) : -1;
    return order[(now + 1) % order.length] ?? null;
  }

  private choose(mention: Mention | null): void {
    this.mention = mention;
    if (mention) this.entity = mention.entity.id;
  }

  goTo(mention: Mention): void {
    this.selection.moveTo(mention.positions[0]!, {});
    this.choose(mention);
    this.outside.changed();
  }

  /** Go to the next or previous mention, of all or of one entity. */
  step(direction: 1 | -1, within?: Entity): void {
    const next = within ? this.neighbour(within.mentions, direction) : this.nextAnywhere(direction);
    if (next) this.goTo(next);
  }

  private neighbour(all: Mention[], direction: 1 | -1): Mention | undefined {
    let next = (this.mention ? all.indexOf(this.mention) : -1) + direction;
    if (!this.mention || !all.includes(this.mention)) {
      const after = all.findIndex(({ positions }) => positions[0]! > this.caret);
      next = (after < 0 ? all.length : after) - (direction > 0 ? 0 : 1);
    }
    return all[(next + all.length) % all.length];
  }

  /** Search word by word from here and wrap around, without sorting all mentions. */
  private nextAnywhere(direction: 1 | -1): Mention | undefined {
    const { doc, mention, caret } = this;
    const startingAt = (at: number): Mention[] => (doc.over[at] ?? []).filter(({ positions }) => positions[0] === at);
    const from = mention?.positions[0] ?? caret;
    const here = startingAt(from);
    const beside = mention && here[here.indexOf(mention) + direction];
    if (beside) return beside;
    for (let steps = 1; steps <= doc.length; steps++) {
      const found = startingAt((from + steps * direction + steps * doc.length) % doc.length);
      if (found.length) return direction > 0 ? found[0] : found.at(-1);
    }
    return undefined;
  }

  /** Clear the selection. */
  letGo(): void {
    this.selection.letGo();
    this.mention = this.entity = null;
    this.message = "";
    this.outside.changed();
  }

  setTarget(entity: string | null): void {
    this.target = entity;
    this.outside.changed();
  }

  // --- edits

  /** Apply edits as one step. If one is invalid, show a message and change nothing. */
  perform(...edits: Edit[]): boolean {
    if (this.isReadOnly) return this.say("This layer is read-only.");
    if (this.outside.isAsking()) return this.say("Please wait for the server.");
    const made = madeBy(edits, this.doc);
    try {
      this.history.perform(edits);
    } catch (error) {
      if (error instanceof EditError) return this.say(error.message);
      throw error;
    }
    this.outside.record("edit", edits, made);
    this.settle();
    return true;
  }

  say(message: string): false {
    this.message = message;
    this.outside.changed();
    return false;
  }

  undo(): void {
    this.goBack("undo", this.history.canUndo, () => this.history.undo());
  }

  redo(): void {
    this.goBack("redo", this.history.canRedo, () => this.history.redo());
  }

  private goBack(act: Act, isPossible: boolean, run: () => Edit[] | null): void {
    if (this.isReadOnly || !isPossible) return void this.say(`Nothing to ${act}.`);
    if (this.outside.isAsking()) return;
    const edits = run();
    if (edits) {
      this.outside.record(act, edits);
      this.settle();
    } else if (!this.outside.ask(act)) this.say(`Cannot ${act} changes made before this page was opened while offline.`);
  }

  /** After a change of the document: positions may have moved, the selected mention may be gone. */
  settle(): void {
    this.version++;
    this.message = "";
    for (; this.moves < this.doc.moves.length; this.moves++) this.follow(this.doc.moves[this.moves]!);
    const { doc, mention } = this;
    if (mention && !(doc.over[mention.positions[0]!] ?? []).includes(mention)) this.mention = null;
    if (this.mention) this.entity = this.mention.entity.id;
    if (this.entity !== null && !doc.entities.has(this.entity)) this.entity = null;
    if (this.target !== null && !doc.entities.has(this.target)) this.target = null;
    this.outside.changed();
  }

  private follow({ at, by }: { at: number; by: 1 | -1 }): void {
    const last = this.doc.length - 1;
    const moved = (position: number): number => Math.min(last, position > at || (by > 0 && position === at) ? position + by : position);
    this.selection.shift(moved);
    this.found = this.found.map((positions) => positions.map(moved));
  }

  /** Mark the selected words as a mention of an entity, or of a new one; an existing mention is moved. */
  mark(entity: string | null): void {
    const positions = this.selection.words;
    if (!this.doc.length) return;
    const there = this.mentionOf(positions);
    if (there && entity === null && there.entity.mentions.length === 1) return void this.say("This mention is already a separate entity.");
    const id = entity ?? this.doc.freshId();
    if (there?.entity.id === id) return;
    const change = there ? this.moveEdit(there, id) : edit("add_mention", { positions, entity: id });
    if (!this.perform(change)) return;
    this.target = id;
    this.selection.letGo();
    this.choose(this.mentionOf(positions) ?? null);
    this.outside.changed();
  }

  /** A mention of exactly these words; of several, the selected one. */
  private mentionOf(positions: number[]): Mention | undefined {
    const there = (this.doc.over[positions[0]!] ?? []).filter((mention) => same(mention.positions, positions));
    return there.find((mention) => mention === this.mention) ?? there[0];
  }

  /** Link the selected mention or words to an entity; an entity of another document is created here. */
  linkTo(entity: string): void {
    const { mention } = this;
    if (!mention || !this.selection.isEmpty) return this.mark(entity);
    if (mention.entity.id === entity) return;
    if (this.perform(this.moveEdit(mention, entity))) this.setTarget(entity);
  }

  private moveEdit(mention: Mention, entity: string): Edit {
    if (this.doc.entities.has(entity)) return edit("link", { ...address(mention), to: entity });
    if (mention.entity.mentions.length > 1) return edit("unlink", { ...address(mention), new_id: entity });
    return edit("rename_entity", { entity: mention.entity.id, new_id: entity });
  }

  /** Move the end or start of the selected mention by one word. */
  resize(side: "start" | "end", by: 1 | -1): void {
    if (!this.mention) return;
    const { positions } = this.mention;
    const isLarger = side === "end" ? by > 0 : by < 0;
    const next = side === "end" ? positions.at(-1)! + 1 : positions[0]! - 1;
    const smaller = side === "end" ? positions.slice(0, -1) : positions.slice(1);
    this.perform(edit("resize_mention", { ...address(this.mention), new_positions: isLarger ? [...positions, next] : smaller }));
  }

  // --- search

  search(pattern: string): void {
    this.found = pattern ? search(this.doc, pattern) : [];
    this.outside.changed();
  }

  /** Mark all matches that are not marked yet as mentions of one entity. */
  markFound(entity: string): void {
    const free = this.found.filter((positions) => !this.mentionOf(positions)).slice(0, MOST_EDITS);
    if (!free.length) this.say("All matches are already marked.");
    else if (this.perform(...free.map((positions) => edit("add_mention", { positions, entity })))) this.setTarget(entity);
  }
}
