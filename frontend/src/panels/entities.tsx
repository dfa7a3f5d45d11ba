/** The list of entities, to filter, sort, visit and link; also lists entities of other documents. */

import { type JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { compareMentions, type Doc, type Entity } from "../model";
import { count, entityName, textOf } from "../names";
import { type Candidate } from "../server";
import { type Editor } from "../state";
import { Dot, focusText } from "./parts";

const SHOWN = 60;
const COLLATOR = new Intl.Collator(undefined, { numeric: true });

type Order = "place" | "size" | "name";

const first = (a: Entity, b: Entity): number => compareMentions(a.mentions[0]!, b.mentions[0]!);
const ORDERS: Record<Order, (a: Entity, b: Entity) => number> = {
  place: first,
  size: (a, b) => b.mentions.length - a.mentions.length || first(a, b),
  name: (a, b) => COLLATOR.compare(a.id, b.id),
};

/** Return the entities in order. Starts from the previous order, because sorting a nearly sorted list is fast. */
function sortEntities(doc: Doc, before: Entity[], by: Order): Entity[] {
  const kept = before.filter((entity) => doc.entities.get(entity.id) === entity);
  if (kept.length < doc.entities.size) {
    const known = new Set(kept);
    for (const entity of doc.entities.values()) if (!known.has(entity)) kept.push(entity);
  }
  return kept.sort(ORDERS[by]);
}

function fits(doc: Doc, entity: Entity, wanted: string): boolean {
  return [entity.id, entity.type ?? ""].some((text) => text.toLowerCase().includes(wanted)) ||
    entity.mentions.some(({ positions }) => textOf(doc, positions).toLowerCase().includes(wanted));
}

export function Entities({ editor, shared }: { editor: Editor; shared: Candidate[] }): JSX.Element {
  const [filter, setFilter] = useState("");
  const [by, setBy] = useState<Order>("place");
  const [most, setMost] = useState(SHOWN);
  const { doc, isReadOnly } = editor;
  const wanted = filter.trim().toLowerCase();
  const before = useRef<Entity[]>([]);
  const all = useMemo(() => (before.current = sortEntities(doc, before.current, by)), [editor.version, by]);
  const found = useMemo(() => (wanted ? all.filter((entity) => fits(doc, entity, wanted)) : all), [all, wanted]);
  const others = shared.filter(({ id, name }) => !doc.entities.has(id) && `${id} ${name}`.toLowerCase().includes(wanted));
  useEffect(() => setMost(SHOWN), [filter, by]);

  const take = (id: string): void => {
    editor.linkTo(id);
    focusText();
  };
  const keys = (event: KeyboardEvent): void => {
    const best = found[0]?.id ?? others[0]?.id;
    if (event.key === "Enter" && wanted && best !== undefined) take(best);
    else if (event.key === "Escape") focusText();
    else return;
    setFilter("");
  };
  return (
    <section class="panel entities" aria-label="Entities">
      <div class="row">
        <input id="entities" type="search" placeholder="Filter entities" aria-label="Filter entities; Enter links to the first"
          value={filter} onInput={(event) => setFilter(event.currentTarget.value)} onKeyDown={keys} dir="auto" />
        <select aria-label="Sort entities" value={by} onChange={(event) => setBy(event.currentTarget.value as Order)}>
          <option value="place">by position</option><option value="size">by size</option><option value="name">by name</option>
        </select>
      </div>
      <p class="count" role="status">{wanted ? `${found.length} of ` : ""}{count(all.length, "entity", "entities")}</p>
      <ul>
        {found.slice(0, most).map((entity) => (
          <Row key={entity.id} id={entity.id} name={entityName(doc, entity)} aside={String(entity.mentions.length)} isOn={entity.id === editor.entity}
            isTarget={entity.id === editor.target} onGo={() => { editor.goTo(entity.mentions[0]!); focusText(); }}
            onLink={isReadOnly ? undefined : () => take(entity.id)} />
        ))}
      </ul>
      {found.length > most && <button type="button" onClick={() => setMost(most + 10 * SHOWN)}>Show more ({found.length - most} hidden)</button>}
      {others.length > 0 && (
        <>
          <h3>In other documents</h3>
          <ul>
            {others.slice(0, SHOWN).map(({ id, name, documents }) => (
              <Row key={id} id={id} name={name} aside={count(documents, "document")} isOn={false} isTarget={false}
                onLink={isReadOnly ? undefined : () => take(id)} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface RowProps {
  id: string;
  name: string;
  aside: string;
  isOn: boolean;
  isTarget: boolean;
  onGo?: () => void;
  onLink: (() => void) | undefined;
}

function Row({ id, name, aside, isOn, isTarget, onGo, onLink }: RowProps): JSX.Element {
  const content = <><Dot id={id} /><bdi class="name">{name}</bdi><span class="size">{aside}</span></>;
  return (
    <li class={isOn ? "on" : ""}>
      {onGo ? <button type="button" class="entity" onClick={onGo} title={id} aria-current={isOn ? "true" : undefined}>{content}</button>
        : <span class="entity" title={id}>{content}</span>}
      {onLink && <button type="button" class={isTarget ? "link target" : "link"} onClick={onLink} aria-label={`Link to ${name}`}
        title={isTarget ? "Space links here" : undefined}>link</button>}
    </li>
  );
}
