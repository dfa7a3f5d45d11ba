/** Unlimited undo and redo: this page undoes its own steps, the server undoes earlier ones. */

import { apply } from "./edits";
import { type Doc, type Edit, EditError } from "./model";
import { applyAndInvert } from "./undo";

export type Act = "edit" | "undo" | "redo";

/** A step of the server's log: the response to undo or redo of a step that this page did not make. */
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

  /** Apply edits as one step; if one does not fit, throw EditError and leave the document unchanged. */
  perform(edits: Edit[]): void {
    this.done.push({ forward: edits, backward: applyAll(this.doc, edits) });
    this.undone = [];
    this.earlier.redo = false;
  }

  /** Return the edits that undo the last step; null if only the server knows it. */
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

  /** Apply a step that the server has undone or redone. */
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

  /** Ask the server for every undo from now on, because its log has steps that this page does not know. */
  forget(): void {
    this.done = [];
    this.undone = [];
    this.earlier = { undo: true, redo: false };
  }
}

/** Apply all edits or none, and return those that undo them. */
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
