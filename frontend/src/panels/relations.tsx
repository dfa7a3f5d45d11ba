/** Relations of a mention to other entities: bridges and split antecedents. */

import { type JSX } from "preact";
import { useState } from "preact/hooks";
import { address, edit } from "../edits";
import { type Mention } from "../model";
import { entityName } from "../names";
import { type Editor } from "../state";
import { Dot } from "./parts";

export function Relations({ editor, mention }: { editor: Editor; mention: Mention }): JSX.Element {
  const { doc, isReadOnly } = editor;
  const bridges = doc.bridges.filter(({ anaphor }) => anaphor === mention);
  const split = doc.splits.find(({ anaphor }) => anaphor === mention);
  const name = (id: string): JSX.Element => {
    const entity = doc.entities.get(id);
    return <span key={id}><Dot id={id} /> <bdi>{entity ? entityName(doc, entity) : id}</bdi> </span>;
  };
  const remove = (edits: ReturnType<typeof edit>, label: string): JSX.Element | false =>
    !isReadOnly && <button type="button" class="link" aria-label={label} onClick={() => editor.perform(edits)}>remove</button>;
  return (
    <>
      {bridges.map(({ antecedent, relation }) => (
        <p key={antecedent} class="row">Bridge to {name(antecedent)}{relation && `(${relation})`}
          {remove(edit("remove_bridge", { ...address(mention), antecedent }), `Remove the bridge to ${antecedent}`)}</p>
      ))}
      {split && (
        <p class="row">Group of (split antecedent): {split.antecedents.map(name)}
          {remove(edit("remove_split_antecedent", address(mention)), "Remove the split antecedent")}</p>
      )}
      {!isReadOnly && <SplitAntecedent editor={editor} mention={mention} members={split?.antecedents ?? []} />}
      {!isReadOnly && <BridgeTo editor={editor} mention={mention} />}
    </>
  );
}

/** Sets the entities that the mention refers to together, at least two. */
function SplitAntecedent({ editor, mention, members }: { editor: Editor; mention: Mention; members: readonly string[] }): JSX.Element {
  const [names, setNames] = useState("");
  const set = (): void => {
    const wanted = names.split(",").map((part) => part.trim()).filter(Boolean);
    const antecedents = [...members, ...wanted];
    if (wanted.length && editor.perform(edit("set_split_antecedent", { ...address(mention), antecedents }))) setNames("");
  };
  return (
    <label>Group of (split antecedent) <input value={names} placeholder={members.length ? "name of another entity" : "entity names, separated by commas"} dir="auto"
      onInput={(event) => setNames(event.currentTarget.value)} onChange={set} /></label>
  );
}

function BridgeTo({ editor, mention }: { editor: Editor; mention: Mention }): JSX.Element | null {
  const { doc, target } = editor;
  const entity = target === null ? undefined : doc.entities.get(target);
  if (!entity || entity === mention.entity) return null;
  return (
    <button type="button" onClick={() => editor.perform(edit("add_bridge", { ...address(mention), antecedent: entity.id }))}>
      Bridge to “{entityName(doc, entity)}”
    </button>
  );
}
