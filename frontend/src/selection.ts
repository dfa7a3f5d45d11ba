/** The selected words: a range from the anchor to the caret, and earlier ranges. */

export interface How {
  /** Extend the range to the new position. */
  extend?: boolean;
  /** Keep the selection and start another range at the new position. */
  add?: boolean;
}

export class Selection {
  caret = 0;
  private anchor = 0;
  private pieces = new Set<number>();
  /** Whether the caret is only moving to the next range. */
  private isPassing = false;
  /** Whether the word at the caret was selected explicitly. */
  private isPiece = false;

  get isEmpty(): boolean {
    return this.caret === this.anchor && !this.pieces.size && !this.isPiece;
  }

  /** The visible selection; a caret alone selects nothing. */
  get chosen(): Set<number> {
    return this.isEmpty ? new Set() : this.all;
  }

  /** The words that an action applies to: the selection, or the word at the caret. */
  get words(): number[] {
    return [...this.all].sort((a, b) => a - b);
  }

  private get all(): Set<number> {
    const all = new Set(this.pieces);
    for (let at = Math.min(this.anchor, this.caret); at <= Math.max(this.anchor, this.caret); at++) all.add(at);
    return all;
  }

  moveTo(at: number, { extend, add }: How): void {
    if (add) {
      if (!this.isPassing) this.pieces = this.all;
      this.isPassing = !extend;
    } else if (extend) this.isPassing = false;
    else this.letGo();
    this.caret = at;
    if (!extend) this.anchor = at;
  }

  /** Start another range at a word; a caret alone is not kept as a range. */
  begin(at: number): void {
    this.pieces = this.chosen;
    this.isPassing = false;
    this.isPiece = true;
    this.caret = this.anchor = at;
  }

  /** Select or deselect the word at the caret. */
  toggle(): void {
    if (!this.pieces.delete(this.caret)) this.pieces = this.all;
    this.isPassing = true;
    this.anchor = this.caret;
  }

  letGo(): void {
    this.pieces = new Set();
    this.isPassing = this.isPiece = false;
    this.anchor = this.caret;
  }

  /** Adjust positions after a word was added or removed. */
  shift(moved: (position: number) => number): void {
    this.caret = moved(this.caret);
    this.anchor = moved(this.anchor);
    this.pieces = new Set([...this.pieces].map(moved));
  }
}
