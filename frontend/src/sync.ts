/** Send operations to the server, in order and once, and keep them until they are acknowledged.
 *
 * Every operation has a unique id (`client`, `sequence`), so the server ignores one that is sent twice.
 */

import { type Act, type Step } from "./history";
import { type Edit } from "./model";
import { type Answer, type Batch } from "./server";
import { type Operation, type Shelf } from "./storage";

export type State = "saved" | "saving" | "offline" | "conflict" | "refused" | "signed-out";

const MOST_OPERATIONS = 200;
const MOST_EDITS = 20_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

export interface Ears {
  changed: () => void;
  /** The server has undone or redone a step that this page does not know. */
  stepped: (act: Act, step: Step) => void;
}

export class Sync {
  state: State = "saved";
  /** The error message of the server. */
  message = "";
  /** The number of changes made by others. */
  others = 0;
  /** Whether an operation could not be saved in the browser's storage. */
  isUnkept = false;
  private pending: Operation[] = [];
  private sequence = 0;
  private isSending = false;
  private takesOver = false;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    public revision: number,
    private send: (batch: Batch) => Promise<Answer>,
    private shelf: Shelf,
    private ears: Ears,
  ) {
    addEventListener("online", () => void this.flush());
    addEventListener("focus", () => { if (this.state === "signed-out") void this.flush(); });
    addEventListener("beforeunload", (event) => { if (this.pending.length) event.preventDefault(); });
  }

  get unsaved(): number {
    return this.pending.length;
  }

  get unsent(): Edit[][] {
    return this.pending.map(({ edits }) => edits).filter((edits) => edits.length);
  }

  /** Whether a request to undo or redo is pending. */
  get isAsking(): boolean {
    return this.pending.some(({ edits }) => !edits.length);
  }

  /** Ask the server to undo or redo a step that this page does not know; return false while it is unreachable. */
  ask(act: Act): boolean {
    if (this.state !== "saved" && this.state !== "saving") return false;
    this.push(act, []);
    return true;
  }

  /** Send edits as one operation: they are applied and undone together. */
  push(kind: Act, edits: Edit[], made: string[] = []): void {
    const operation = { sequence: ++this.sequence, kind, edits, made };
    this.pending.push(operation);
    if (!this.shelf.keep(this.revision, operation)) this.isUnkept = true;
    if (this.state === "saved") this.become("saving");
    this.ears.changed();
    void this.flush();
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    if (this.isSending || this.state === "conflict" || this.state === "refused") return;
    this.isSending = true;
    while (this.pending.length && (await this.sendSome())) continue;
    this.isSending = false;
    if (!this.pending.length) this.become("saved");
  }

  private async sendSome(): Promise<boolean> {
    const operations = firstOf(this.pending);
    const batch = { base: this.revision, client: this.shelf.client, operations, takesOver: this.takesOver };
    return this.hear(await this.send(batch), operations);
  }

  private hear(answer: Answer, sent: Operation[]): boolean {
    switch (answer.kind) {
      case "done":
        this.acknowledge(answer.revision, answer.steps, sent);
        return true;
      case "conflict":
        this.others = answer.revision - answer.base;
        this.become("conflict");
        return false;
      case "refused":
        this.message = answer.message;
        this.become("refused");
        return false;
      case "signed-out":
      case "unreachable":
        this.giveUpAsking();
        this.become(answer.kind === "unreachable" ? "offline" : "signed-out");
        this.timer = setTimeout(() => void this.flush(), this.wait);
        this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
        return false;
    }
  }

  private acknowledge(revision: number, steps: (Step & { sequence: number })[], sent: Operation[]): void {
    this.revision = revision;
    this.takesOver = false;
    this.wait = FIRST_WAIT;
    this.pending.splice(0, sent.length);
    this.shelf.drop(revision, sent, this.pending.length);
    this.isUnkept &&= this.pending.length > 0;
    if (this.state === "offline" || this.state === "signed-out") this.become("saving");
    for (const { sequence, kind, edits } of sent) {
      const step = steps.find((one) => one.sequence === sequence);
      if (!edits.length && step) this.ears.stepped(kind, step);
    }
  }

  /** Drop an unanswered request so that editing can go on; if the server did receive it, that is a conflict. */
  private giveUpAsking(): void {
    const asked = this.pending.filter(({ edits }) => !edits.length);
    this.pending = this.pending.filter(({ edits }) => edits.length);
    this.shelf.drop(this.revision, asked, this.pending.length);
  }

  /** After a conflict: keep the state of this page, and undo the changes of others in one step. */
  takeOver(): void {
    this.takesOver = true;
    this.state = "saving";
    this.ears.changed();
    void this.flush();
  }

  private become(state: State): void {
    if (state === this.state) return;
    this.state = state;
    this.ears.changed();
  }
}

/** Return as many operations as the server accepts at once, at least one. */
export function firstOf(operations: Operation[]): Operation[] {
  let edits = 0;
  const end = operations.findIndex((operation, at) => at > 0 && (edits += operation.edits.length) > MOST_EDITS);
  return operations.slice(0, Math.min(end < 0 ? operations.length : end, MOST_OPERATIONS));
}
