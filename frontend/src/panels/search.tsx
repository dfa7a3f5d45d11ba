/** Search the text, step through the matches, mark all of them. */

import { type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { count, entityName } from "../names";
import { type Editor } from "../state";
import { focusText } from "./parts";

/** Milliseconds to wait after a key press, so that a novel is not searched for every letter. */
const PAUSE = 120;

export function Search({ editor, reveal }: { editor: Editor; reveal: (at: number) => void }): JSX.Element {
  const [pattern, setPattern] = useState("");
  const [isWrong, setWrong] = useState(false);
  const [at, setAt] = useState(-1);
  const { found, doc } = editor;

  const look = (text: string): void => {
    setAt(-1);
    try {
      editor.search(text);
      setWrong(false);
    } catch {
      editor.search("");
      setWrong(true);
    }
  };
  useEffect(() => {
    const timer = setTimeout(() => look(pattern), PAUSE);
    return () => clearTimeout(timer);
  }, [pattern]);

  const step = (by: 1 | -1): void => {
    if (!found.length) return;
    const next = (Math.max(at, by > 0 ? -1 : 0) + by + found.length) % found.length;
    setAt(next);
    const positions = found[next]!;
    editor.moveTo(positions[0]!);
    if (positions.length > 1) editor.moveTo(positions.at(-1)!, { extend: true });
    reveal(positions[0]!);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      setPattern("");
      focusText();
    }
  };
  const target = editor.target === null ? undefined : doc.entities.get(editor.target);
  const status = isWrong ? "invalid regular expression" : at >= 0 ? `${at + 1} of ${found.length}` : count(found.length, "match", "matches");
  return (
    <section class="panel" aria-label="Search">
      <div class="row">
        <input id="search" type="search" placeholder="Search (regular expression)" aria-label="Search the text" value={pattern}
          onInput={(event) => setPattern(event.currentTarget.value)} onKeyDown={keys} dir="auto" />
        <button type="button" aria-label="Previous match" onClick={() => step(-1)} disabled={!found.length}>↑</button>
        <button type="button" aria-label="Next match" onClick={() => step(1)} disabled={!found.length}>↓</button>
      </div>
      <p class="count" role="status">{pattern ? status : ""}</p>
      {pattern && found.length > 0 && !editor.isReadOnly && (
        <div class="row">
          <button type="button" onClick={() => editor.markFound(doc.freshId())}>Mark all as a new entity</button>
          {target && <button type="button" onClick={() => editor.markFound(target.id)}>Mark all as “{entityName(doc, target)}”</button>}
        </div>
      )}
    </section>
  );
}
