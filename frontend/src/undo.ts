/** Undo edits by other edits, so that the log consists of edits only. */

import { apply, edit } from "./edits";
import { type Attributes, type Bridge, type Doc, type Edit, type Entity, type Mention, same, type Split } from "./model";
import { grown, shrunk } from "./zeros";

/** Apply an edit and return those that undo it. */
export function applyAndInvert(doc: Doc, change: Edit): Edit[] {
  const steps = inverse(doc, change);
  if (EXACT.has(change.name)) {
    apply(doc, change);
    return steps;
  }
  const before = remember(doc, change);
  apply(doc, change);
  // Undo temporarily, to find differences in entities and relations that remain.
  for (const step of steps) apply(doc, step);
  const repairs = difference(doc, before);
  for (const repair of repairs) apply(doc, repair);
  apply(doc, change);
  return [...steps, ...repairs];
}

/** Edits whose inverse leaves nothing to repair. */
const EXACT = new Set(["add_mention", "resize_mention", "set_head", "set_attributes", "rename_entity", "insert_zero", "remove_zero"]);

function inverse(doc: Doc, { name, arguments: args }: Edit): Edit[] {
  const { entity, positions } = args;
  switch (name) {
    case "add_mention":
      return [edit("remove_mention", { entity: entity ?? doc.freshId(), positions })];
    case "remove_mention": {
      const { head, attributes } = doc.mention(entity, positions);
      return [edit("add_mention", { positions, entity, head, attributes })];
    }
    case "resize_mention": {
      const old = doc.mention(entity, positions);
      const steps = [edit("resize_mention", { entity, positions: args["new_positions"], new_positions: old.positions })];
      const isHeadLost = old.head !== null && !(args["new_positions"] as number[]).includes(old.head);
      return isHeadLost ? [...steps, edit("set_head", { entity, positions: old.positions, head: old.head })] : steps;
    }
    case "set_head":
      return [edit("set_head", { entity, positions, head: doc.mention(entity, positions).head })];
    case "set_attributes":
      return [edit("set_attributes", { entity, positions, attributes: doc.mention(entity, positions).attributes })];
    case "link":
      return doc.entity(entity).mentions.length > 1
        ? [edit("link", { entity: args["to"], positions, to: entity })]
        : [edit("unlink", { entity: args["to"], positions, new_id: entity })];
    case "unlink":
    case "split":
      return [edit("merge", { into: entity, other: args["new_id"] ?? doc.freshId() })];
    case "merge": {
      const mentions = doc.entity(args["other"]).mentions.map((mention) => mention.positions);
      return [edit("split", { entity: args["into"], mentions, new_id: args["other"] })];
    }
    case "rename_entity":
      return [edit("rename_entity", { entity: args["new_id"], new_id: entity })];
    case "insert_zero":
      return [edit("remove_zero", { position: (args["after"] ?? null) === null ? args["before"] : Number(args["after"]) + 1 })];
    case "remove_zero":
      return reinsert(doc, doc.positions([args["position"]])[0]!);
    default:
      return []; // set_entity and relations: restored from the saved entities and relations
  }
}

/** Restore an empty node and its mentions. */
function reinsert(doc: Doc, position: number): Edit[] {
  const isFirst = doc.sentences[doc.sentenceAt(position)]?.start === position;
  const place = isFirst ? { before: position } : { after: position - 1 };
  const { forms, columns } = doc.words;
  const steps = [edit("insert_zero", { ...place, form: forms[position], ...columns[position] })];
  for (const mention of mentionsAround(doc, position)) {
    const entity = mention.entity.id;
    const [rest, left] = shrunk(mention, position);
    if (!rest.length) continue; // the edit itself will throw an error
    const [now, head] = grown({ positions: rest, head: left }, position);
    if (!same(now, mention.positions)) steps.push(edit("resize_mention", { entity, positions: now, new_positions: mention.positions }));
    if (head !== mention.head) steps.push(edit("set_head", { entity, positions: mention.positions, head: mention.head }));
  }
  return steps;
}

/** Return the mentions of a word or of both its neighbours, which may contain an empty node in its place. */
function mentionsAround(doc: Doc, position: number): Set<Mention> {
  return new Set([position - 1, position, position + 1].flatMap((at) => doc.over[at] ?? []));
}

interface Remembered {
  entities: Pick<Entity, "id" | "type" | "kind" | "attributes">[];
  bridges: readonly Bridge[];
  splits: readonly Split[];
}

function remember(doc: Doc, { arguments: args }: Edit): Remembered {
  const named = [args["entity"], args["to"], args["into"], args["other"]];
  const found = named.map((id) => doc.entities.get(String(id))).filter((entity) => entity !== undefined);
  return {
    entities: found.map(({ id, type, kind, attributes }) => ({ id, type, kind, attributes })),
    bridges: doc.bridges,
    splits: doc.splits,
  };
}

/** Return edits that restore entities and relations. */
function difference(doc: Doc, before: Remembered): Edit[] {
  const steps: Edit[] = [];
  for (const { id, type, kind, attributes } of before.entities) {
    const now = doc.entity(id);
    if (now.type !== type || now.kind !== kind || !isSame(now.attributes, attributes)) {
      steps.push(edit("set_entity", { entity: id, type, kind, attributes }));
    }
  }
  const bridges = changed(before.bridges, doc.bridges, bridgeEdit);
  for (const { arguments: args } of bridges.extra) {
    const { entity, positions, antecedent } = args;
    steps.push(edit("remove_bridge", { entity, positions, antecedent }));
  }
  steps.push(...bridges.missing);
  const splits = changed(before.splits, doc.splits, splitEdit);
  const kept = new Set(splits.missing.map(place));
  for (const extra of splits.extra) {
    const { entity, positions } = extra.arguments;
    if (!kept.has(place(extra))) steps.push(edit("remove_split_antecedent", { entity, positions }));
  }
  steps.push(...splits.missing);
  return steps;
}

/** Compare two lists of edits: return those only in the first, and those only in the second. */
function changed<T>(before: readonly T[], now: readonly T[], make: (thing: T) => Edit): { missing: Edit[]; extra: Edit[] } {
  if (before === now) return { missing: [], extra: [] };
  const only = (these: readonly T[], others: readonly T[]): Map<string, Edit> => {
    const known = new Set(others);
    return new Map(these.filter((thing) => !known.has(thing)).map(make).map((made) => [JSON.stringify(made), made]));
  };
  const [missing, extra] = [only(before, now), only(now, before)];
  for (const key of [...missing.keys()]) if (extra.delete(key)) missing.delete(key);
  return { missing: [...missing.values()], extra: [...extra.values()] };
}

function bridgeEdit({ anaphor: { entity, positions }, antecedent, relation }: Bridge): Edit {
  return edit("add_bridge", { entity: entity.id, positions, antecedent, relation });
}

function splitEdit({ anaphor: { entity, positions }, antecedents }: Split): Edit {
  return edit("set_split_antecedent", { entity: entity.id, positions, antecedents });
}

function place({ arguments: { entity, positions } }: Edit): string {
  return JSON.stringify([entity, positions]);
}

function isSame(a: Attributes, b: Attributes): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
