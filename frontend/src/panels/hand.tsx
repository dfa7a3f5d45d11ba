/** The selected entity and mention with their fields. */

import { type JSX } from "preact";
import { address, edit } from "../edits";
import { type Entity, type Mention } from "../model";
import { count, entityName, mentionName, wordAt } from "../names";
import { type Schema } from "../server";
import { type Editor } from "../state";
import { MentionList } from "./mentions";
import { Choice, Dot } from "./parts";
import { Relations } from "./relations";

export function SelectionPanel({ editor, schema }: { editor: Editor; schema: Schema }): JSX.Element {
  const entity = editor.chosenEntity;
  return (
    <section class="panel hand" aria-label="Selection">
      {entity ? <EntityFields editor={editor} entity={entity} schema={schema} />
        : <p class="count">Nothing selected. Click a mention, or select words and press Enter.</p>}
      <Target editor={editor} />
    </section>
  );
}

function EntityFields({ editor, entity, schema }: { editor: Editor; entity: Entity; schema: Schema }): JSX.Element {
  const { doc, mention, isReadOnly } = editor;
  const set = (change: Record<string, unknown>): void => void editor.perform(edit("set_entity", { entity: entity.id, ...change }));
  const rename = (field: HTMLInputElement): void => {
    const name = field.value.trim();
    if (name !== entity.id && !editor.perform(edit("rename_entity", { entity: entity.id, new_id: name }))) field.value = entity.id;
  };
  return (
    <>
      <h2><Dot id={entity.id} /> <bdi>{entityName(doc, entity)}</bdi> <small>{count(entity.mentions.length, "mention")}</small></h2>
      <label>Name <input id="rename" key={entity.id} defaultValue={entity.id} disabled={isReadOnly} dir="auto"
        onChange={(event) => rename(event.currentTarget)} /></label>
      <label>Type <Choice value={entity.type ?? ""} values={schema.types} isReadOnly={isReadOnly} onChange={(type) => set({ type: type || null })} /></label>
      <label>Kind <Choice value={entity.kind} values={["entity", "event"]} isNeeded isReadOnly={isReadOnly} onChange={(kind) => set({ kind })} /></label>
      <MentionList key={entity.id} editor={editor} entity={entity} />
      {mention && <MentionFields editor={editor} mention={mention} schema={schema} />}
    </>
  );
}

function MentionFields({ editor, mention, schema }: { editor: Editor; mention: Mention; schema: Schema }): JSX.Element {
  const { doc, isReadOnly } = editor;
  const { positions, head, entity } = mention;
  const setHead = (chosen: string): void => void editor.perform(edit("set_head", { ...address(mention), head: chosen === "" ? null : Number(chosen) }));
  return (
    <fieldset>
      <legend><bdi>{mentionName(doc, mention)}</bdi> <small>{entity.mentions.indexOf(mention) + 1} of {entity.mentions.length}</small></legend>
      <label>Head <Choice value={head === null ? "" : String(head)} values={positions.map(String)} titles={positions.map((at) => wordAt(doc, at))}
        isReadOnly={isReadOnly} onChange={setHead} /></label>
      <AttributeFields editor={editor} mention={mention} schema={schema} />
      <Relations editor={editor} mention={mention} />
    </fieldset>
  );
}

function AttributeFields({ editor, mention, schema }: { editor: Editor; mention: Mention; schema: Schema }): JSX.Element {
  const known = new Set(schema.attributes.map(({ name }) => name));
  const more = Object.keys(mention.attributes).filter((name) => !known.has(name)).map((name) => ({ name, title: name, values: [] }));
  const set = (name: string, value: string): void => {
    const { [name]: _, ...rest } = mention.attributes;
    editor.perform(edit("set_attributes", { ...address(mention), attributes: value ? { ...rest, [name]: value } : rest }));
  };
  /** Without a schema, any attribute is allowed. */
  const add = (text: string): void => {
    const [name, ...value] = text.split("=");
    if (name!.trim() && value.length) set(name!.trim(), value.join("=").trim());
  };
  return (
    <div id="attributes">
      {[...schema.attributes, ...more].map(({ name, title, values }) => (
        <label key={name}>{title ?? name} <Choice value={mention.attributes[name] ?? ""} values={values ?? []} isReadOnly={editor.isReadOnly}
          onChange={(value) => set(name, value)} /></label>
      ))}
      {!editor.isReadOnly && !schema.attributes.length && <label>Attribute <input placeholder="name = value" dir="auto"
        onChange={(event) => { add(event.currentTarget.value); event.currentTarget.value = ""; }} /></label>}
    </div>
  );
}

/** The entity that Space links to, and what can be done with it and the selected entity. */
function Target({ editor }: { editor: Editor }): JSX.Element | null {
  const { doc, chosenEntity, isReadOnly } = editor;
  const target = editor.target === null ? undefined : doc.entities.get(editor.target);
  if (isReadOnly || (!target && !chosenEntity)) return null;
  const merge = (): void => void editor.perform(edit("merge", { into: target!.id, other: chosenEntity!.id }));
  return (
    <div class="target">
      {target ? <p><kbd>Space</kbd> links to <Dot id={target.id} /> <bdi>{entityName(doc, target)}</bdi></p>
        : <button type="button" onClick={() => editor.setTarget(chosenEntity!.id)}>Link here with Space</button>}
      {target && chosenEntity && target !== chosenEntity && (
        <div class="row">
          <button type="button" onClick={merge}>Merge into “{entityName(doc, target)}”</button>
          <button type="button" onClick={() => editor.setTarget(chosenEntity.id)}>Link here with Space instead</button>
        </div>
      )}
    </div>
  );
}
