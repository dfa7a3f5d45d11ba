/** The mentions of the selected entity: go to one, or select some and split them off. */

import { type JSX } from "preact";
import { useState } from "preact/hooks";
import { edit } from "../edits";
import { type Entity, type Mention } from "../model";
import { mentionName } from "../names";
import { type Editor } from "../state";
import { focusText } from "./parts";

const SHOWN = 100;

export function MentionList({ editor, entity }: { editor: Editor; entity: Entity }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [most, setMost] = useState(SHOWN);
  const [ticked, setTicked] = useState<ReadonlySet<Mention>>(new Set());
  const { doc, isReadOnly } = editor;
  const chosen = entity.mentions.filter((mention) => ticked.has(mention));
  const tick = (mention: Mention): void => {
    const next = new Set(chosen);
    if (!next.delete(mention)) next.add(mention);
    setTicked(next);
  };
  const split = (): void => {
    const mentions = chosen.map(({ positions }) => positions);
    if (editor.perform(edit("split", { entity: entity.id, mentions, new_id: doc.freshId() }))) setTicked(new Set());
  };
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Mentions</summary>
      {isOpen && (
        <>
          <ul>
            {entity.mentions.slice(0, most).map((mention) => (
              <li key={mention.positions.join()} class={mention === editor.mention ? "on" : ""}>
                {!isReadOnly && <input type="checkbox" checked={ticked.has(mention)} onChange={() => tick(mention)}
                  aria-label={`Select ${mentionName(doc, mention)}`} />}
                <button type="button" class="entity" onClick={() => { editor.goTo(mention); focusText(); }}>
                  <bdi class="name">{mentionName(doc, mention)}</bdi><span class="size">{doc.sentenceAt(mention.positions[0]!) + 1}</span>
                </button>
              </li>
            ))}
          </ul>
          {entity.mentions.length > most && <button type="button" onClick={() => setMost(most + 10 * SHOWN)}>Show more</button>}
          {chosen.length > 0 && <button type="button" onClick={split}>Split off {chosen.length} as a new entity</button>}
        </>
      )}
    </details>
  );
}
