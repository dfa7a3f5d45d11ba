/** Which words are chosen: a stretch from the anchor to the caret, and pieces chosen before it. */

export interface How {
  /** The stretch grows to the new place. */
  extend?: boolean;
  /** What is chosen stays, and another piece begins at the new place. */
  add?: boolean;
}

export class Selection {
  caret = 0;
  private anchor = 0;
  private pieces = new Set<number>();
  /** Whether the stretch is only where the caret passes on its way to the next piece. */
  private isPassing = false;
  /** Whether the word at the caret was chosen as a piece, and is not only where the caret is. */
  private isPiece = false;

  get isEmpty(): boolean {
    return this.caret === this.anchor && !this.pieces.size && !this.isPiece;
  }

  /** What is chosen, for all to see; a lone caret chooses nothing. */
  get chosen(): Set<number> {
    return this.isEmpty ? new Set() : this.all;
  }

  /** The words an action is about: those chosen, or the one at the caret. */
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

  /** Begin another piece at a word, as with the mouse; a lone caret was not meant as a piece. */
  begin(at: number): void {
    this.pieces = this.chosen;
    this.isPassing = false;
    this.isPiece = true;
    this.caret = this.anchor = at;
  }

  /** The word at the caret is a piece, or no longer. */
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

  /** A word came or went. */
  shift(moved: (position: number) => number): void {
    this.caret = moved(this.caret);
    this.anchor = moved(this.anchor);
    this.pieces = new Set([...this.pieces].map(moved));
  }
}
