/** Undo and redo without limit: what this page did is undone here, what was done before by the server. */

import { apply } from "./edits";
import { type Doc, type Edit, EditError } from "./model";
import { applyAndInvert } from "./undo";

export type Act = "edit" | "undo" | "redo";

/** A step of the server's log, which answers to an undo or redo of something that this page did not do. */
export interface Step {
  edits: Edit[];
  can_undo: boolean;
  can_redo: boolean;
}

interface Done {
  forward: Edit[];
  backward: Edit[];
}

export class History {
  private done: Done[] = [];
  private undone: Done[] = [];

  constructor(
    private doc: Doc,
    /** What the server could undo and redo before the page was opened. */
    private earlier: { undo: boolean; redo: boolean },
  ) {}

  get canUndo(): boolean {
    return this.done.length > 0 || this.earlier.undo;
  }

  get canRedo(): boolean {
    return this.undone.length > 0 || this.earlier.redo;
  }

  /** Do some edits as one step; where one does not fit, EditError, and the document is as it was. */
  perform(edits: Edit[]): void {
    this.done.push({ forward: edits, backward: applyAll(this.doc, edits) });
    this.undone = [];
    this.earlier.redo = false;
  }

  /** The edits that undid the last step; null where only the server knows it. */
  undo(): Edit[] | null {
    const step = this.done.pop();
    if (!step) return null;
    for (const one of step.backward) apply(this.doc, one);
    this.undone.push(step);
    return step.backward;
  }

  redo(): Edit[] | null {
    const step = this.undone.pop();
    if (!step) return null;
    for (const one of step.forward) apply(this.doc, one);
    this.done.push(step);
    return step.forward;
  }

  /** The server has undone or redone something of before: so does this page. */
  follow(act: Act, step: Step): void {
    const back = applyAll(this.doc, step.edits);
    if (act === "undo") {
      this.undone.push({ forward: back, backward: step.edits });
      this.earlier.undo = step.can_undo;
    } else {
      this.done.push({ forward: step.edits, backward: back });
      this.earlier.redo = step.can_redo;
    }
  }

  /** From here on the server is asked for everything: its log has other steps than this page knows. */
  forget(): void {
    this.done = [];
    this.undone = [];
    this.earlier = { undo: true, redo: false };
  }
}

/** Apply edits, all or none, and give those that undo them. */
export function applyAll(doc: Doc, edits: Edit[]): Edit[] {
  const back: Edit[][] = [];
  try {
    for (const one of edits) back.push(applyAndInvert(doc, one));
  } catch (error) {
    if (error instanceof EditError) for (const one of back.reverse().flat()) apply(doc, one);
    throw error;
  }
  return back.reverse().flat();
}
