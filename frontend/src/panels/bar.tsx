/** The bar above the text: title, saving state, undo and redo. */

import { type JSX } from "preact";
import { count } from "../names";
import { type Editor } from "../state";
import { type State, type Sync } from "../sync";

interface Props {
  title: string;
  layer: string;
  back: string;
  editor: Editor;
  sync: Sync;
  onHelp: () => void;
}

export function Bar({ title, layer, back, editor, sync, onHelp }: Props): JSX.Element {
  const { history } = editor;
  return (
    <header class="bar">
      <a href={back}>← Project</a>
      <h1 dir="auto">{title} <small>{layer}</small></h1>
      <output class={`state ${editor.isReadOnly ? "readonly" : sync.state}`}>{editor.isReadOnly ? "Read-only" : describe(sync)}</output>
      {!editor.isReadOnly && (
        <>
          <button type="button" title="Ctrl Z" onClick={() => editor.undo()} disabled={!history.canUndo}>Undo</button>
          <button type="button" title="Ctrl Shift Z" onClick={() => editor.redo()} disabled={!history.canRedo}>Redo</button>
        </>
      )}
      <button type="button" onClick={onHelp} aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)">?</button>
    </header>
  );
}

function describe(sync: Sync): string {
  const changes = count(sync.unsaved, "change");
  const kept = sync.isUnkept ? `${changes} only on this page: the browser's storage is full` : `${changes} kept in this browser`;
  const words: Record<State, string> = {
    saved: "All changes saved",
    saving: "Saving …",
    offline: `Offline, ${kept}`,
    conflict: "Changed elsewhere",
    refused: "Not saved",
    "signed-out": `Logged out, ${kept}; log in again in another tab`,
  };
  return words[sync.state];
}
