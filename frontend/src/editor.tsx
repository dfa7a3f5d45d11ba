/** The editor: connects document, text, panels and server. */

import { render } from "preact";
import { announcement } from "./announce";
import { History } from "./history";
import { type Field, press, type Tools } from "./keys";
import { type Edit } from "./model";
import { Bar } from "./panels/bar";
import { Conflict, Dialog, Help, Left, Lost, Refused } from "./panels/dialogs";
import { Entities } from "./panels/entities";
import { SelectionPanel } from "./panels/hand";
import { focusText } from "./panels/parts";
import { Rules } from "./panels/rules";
import { Search } from "./panels/search";
import { unpack } from "./payload";
import { listenToPointer } from "./pointer";
import { Renaming } from "./rebase";
import { type Candidate, type Loaded, type Schema, Server, ServerError } from "./server";
import { Editor } from "./state";
import { Shelf, type Waiting } from "./storage";
import { firstOf, Sync } from "./sync";
import { TextView } from "./text";

/** Milliseconds between requests for the entities of other documents. */
const CANDIDATES_EVERY = 60_000;

const element = (id: string): HTMLElement => document.getElementById(id)!;
const root = element("editor");
const url = root.dataset["url"]!;
const server = new Server(url);
const shelf = new Shelf(localStorage, url, crypto.randomUUID());

function start(loaded: Loaded, left: Waiting[]): void {
  const text = element("text");
  const doc = unpack(loaded.document);
  const schema: Schema = { types: [], attributes: [], rules: [], ...loaded.settings.schema };
  let shared: Candidate[] = [];
  let isHelping = false;
  let waiting = left;
  let lost: Edit[][] = [];
  let found = { of: [] as number[][], positions: new Set<number>() };

  const history = new History(doc, { undo: loaded.can_undo, redo: loaded.can_redo });
  const sync = new Sync(loaded.revision, (batch) => server.send(batch), shelf, {
    changed: draw,
    stepped: (act, step) => { history.follow(act, step); editor.settle(); },
  });
  const editor = new Editor(doc, history, !loaded.is_editable, {
    changed: draw,
    record: (act, edits, made) => sync.push(act, edits, made),
    ask: (act) => sync.ask(act),
    isAsking: () => sync.isAsking,
  });
  const view = new TextView(text, doc);
  const tools: Tools = { editor, view, focus, help: () => { isHelping = true; draw(); } };

  let isAsked = false;
  /** Draw once before the next frame, however often this is called. */
  function draw(): void {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; show(); });
  }

  function show(): void {
    if (found.of !== editor.found) found = { of: editor.found, positions: new Set(editor.found.flat()) };
    view.update({
      selection: editor.selection.chosen, caret: editor.caret, mention: editor.mention, entity: editor.entity, found: found.positions,
    });
    element("announcement").textContent = announcement(editor);
    element("message").textContent = editor.message;
    render(<Bar title={root.dataset["title"] ?? ""} layer={loaded.layer.name} back={root.dataset["back"] ?? "/"} editor={editor} sync={sync}
      onHelp={tools.help} />, element("bar"));
    render(
      <>
        <Search editor={editor} reveal={(at) => view.reveal(at)} />
        <SelectionPanel editor={editor} schema={schema} />
        <Entities editor={editor} shared={shared} />
        <Rules schema={schema} />
      </>, element("side"));
    render(<Windows />, element("over"));
  }

  function Windows(): preact.JSX.Element | null {
    const { state, unsent } = sync;
    if (isHelping) return <Help onClose={() => { isHelping = false; close(); }} />;
    if (state === "conflict") {
      const takeOver = (): void => { history.forget(); sync.takeOver(); close(); };
      return <Conflict others={sync.others} unsent={unsent} onReload={() => location.reload()} onTakeOver={takeOver} />;
    }
    if (state === "refused") return <Refused message={sync.message} unsent={unsent} onReload={() => location.reload()} />;
    if (waiting.length) {
      const forget = (): void => { waiting.forEach((one) => shelf.forget(one)); waiting = []; close(); };
      return <Left edits={editsOf(waiting)} onApply={() => { lost = putOnTop(); forget(); }} onDiscard={forget}
        onLater={() => { waiting = []; close(); }} />;
    }
    if (lost.length) return <Lost edits={lost} onClose={() => { lost = []; close(); }} />;
    return null;
  }

  /** After a dialog is closed, return the focus to the text. */
  function close(): void {
    show();
    focusText();
  }

  /** Apply the changes of an earlier visit to the current document; return those that do not fit. */
  function putOnTop(): Edit[][] {
    return waiting.flatMap(({ operations }) => {
      const renaming = new Renaming();
      const changes = operations.filter(({ edits }) => edits.length);
      return changes.filter((operation) => !editor.perform(...renaming.next(operation, doc))).map(({ edits }) => edits);
    });
  }

  listenToPointer(text, editor, view);
  text.addEventListener("keydown", (event) => {
    const before = editor.caret;
    if (!press(event, tools)) return;
    event.preventDefault();
    if (editor.caret !== before) view.reveal(editor.caret);
  });
  // Clicking a button with the mouse keeps the focus on the text.
  root.addEventListener("mousedown", (event) => { if ((event.target as Element).closest("button")) event.preventDefault(); });
  if (loaded.settings.shared_entities) {
    const refresh = (): void => void server.shared().then((entities) => { shared = entities; draw(); }, () => undefined);
    refresh();
    // Other documents are annotated in other tabs; update the shared entities when the user returns.
    document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
    setInterval(() => { if (!document.hidden) refresh(); }, CANDIDATES_EVERY);
  }

  text.lang = doc.language ?? "";
  Object.assign(root, { coindex: { editor, sync } });
  show();
  root.removeAttribute("aria-busy");
  root.classList.add("ready");
  requestAnimationFrame(() => setTimeout(() => performance.mark("coindex:shown")));
  focusText();
}

function editsOf(waiting: Waiting[]): Edit[][] {
  return waiting.flatMap(({ operations }) => operations.map(({ edits }) => edits)).filter((edits) => edits.length);
}

function focus(field: Field): void {
  const found = document.querySelector<HTMLElement>(field === "attributes" ? "#attributes select, #attributes input" : `#${field}`);
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
}

/** Send operations of earlier visits first, with their old ids, because the server may already have some. */
async function open(): Promise<void> {
  const before = await shelf.left();
  let loaded = await server.load();
  const left: Waiting[] = [];
  for (const waiting of before) if (!(await deliver(waiting))) left.push(waiting);
  if (before.length) loaded = await server.load();
  start(loaded, left);
}

async function deliver(waiting: Waiting): Promise<boolean> {
  let { base, operations } = waiting;
  while (operations.length) {
    const batch = firstOf(operations);
    const answer = await server.send({ base, client: waiting.client, operations: batch, takesOver: false });
    if (answer.kind !== "done") return false;
    base = answer.revision;
    operations = operations.slice(batch.length);
  }
  shelf.forget(waiting);
  return true;
}

function fail(error: unknown): void {
  if (error instanceof ServerError && error.status === 401) return location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
  const message = error instanceof Error ? error.message : String(error);
  render(
    <Dialog title="The document could not be opened">
      <p>{message}</p>
      <div class="row"><button type="button" class="primary" onClick={() => location.reload()}>Try again</button></div>
    </Dialog>, element("over"));
}

open().catch(fail);
