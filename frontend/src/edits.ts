/** The named edits: each changes the document in place, or throws EditError and leaves it as it was.
 *
 * They do the same as those of `coindex.document.edits`; a test applies both to the same documents.
 */

import { type Attributes, Doc, type Edit, EditError, type Entity, insertMention, type Kind, type Mention, mentionAt, same, compareMentions } from "./model";
import { follow } from "./relations";
import { insertZero, removeZero } from "./zeros";

type Change = (doc: Doc, args: Record<string, unknown>) => void;

export function apply(doc: Doc, { name, arguments: args }: Edit): void {
  const change = CHANGES[name];
  if (!change) throw new EditError(`There is no edit “${name}”.`);
  change(doc, args);
}

export function edit(name: string, args: Record<string, unknown>): Edit {
  return { name, arguments: args };
}

/** The arguments by which an edit identifies a mention. */
export function address({ entity, positions }: Mention): { entity: string; positions: readonly number[] } {
  return { entity: entity.id, positions };
}

const CHANGES: Record<string, Change> = {
  add_mention(doc, { positions, entity, head, attributes }) {
    const wanted = doc.positions(positions);
    checkHead(head, wanted);
    const id = entity === undefined || entity === null ? doc.freshId() : String(entity);
    const known = doc.entities.get(id);
    if (known) checkFree(doc, known, wanted);
    const owner = known ?? makeEntity(doc, newId(doc, id));
    const mention = { entity: owner, positions: wanted, head: orNull<number>(head), attributes: { ...(attributes as Attributes) } };
    insertMention(owner, mention);
    doc.cover(mention);
  },

  remove_mention(doc, { entity, positions }) {
    const mention = doc.mention(entity, positions);
    take(mention.entity, mention);
    doc.uncover(mention);
    const { id, mentions } = mention.entity;
    if (!mentions.length) doc.entities.delete(id);
    follow(doc, mentions.length ? { gone: mention } : { gone: mention, renamed: { from: id, to: null } });
  },

  resize_mention(doc, { entity, positions, new_positions }) {
    const mention = doc.mention(entity, positions);
    const wanted = doc.positions(new_positions);
    if (!same(wanted, mention.positions)) checkFree(doc, mention.entity, wanted);
    doc.uncover(mention);
    mention.positions = wanted;
    if (mention.head !== null && !wanted.includes(mention.head)) mention.head = null;
    mention.entity.mentions.sort(compareMentions);
    doc.cover(mention);
  },

  set_head(doc, { entity, positions, head }) {
    const mention = doc.mention(entity, positions);
    checkHead(head, mention.positions);
    mention.head = orNull<number>(head);
    doc.touch([mention]);
  },

  set_attributes(doc, { entity, positions, attributes }) {
    const mention = doc.mention(entity, positions);
    mention.attributes = { ...(attributes as Attributes) };
    doc.touch([mention]);
  },

  set_entity(doc, args) {
    const entity = doc.entity(args["entity"]);
    if ("type" in args) entity.type = args["type"] as string | null;
    if ("kind" in args) entity.kind = args["kind"] as Kind;
    if ("attributes" in args) entity.attributes = { ...(args["attributes"] as Attributes) };
  },

  link(doc, { entity, positions, to }) {
    const mention = doc.mention(entity, positions);
    const target = doc.entity(to);
    const old = mention.entity;
    if (old === target) throw new EditError("The mention already belongs to that entity.");
    checkFree(doc, target, mention.positions);
    move(doc, [mention], old, target);
    if (!old.mentions.length) doc.entities.delete(old.id);
    const moved = new Set([mention]);
    follow(doc, old.mentions.length ? { moved } : { moved, renamed: { from: old.id, to: target.id } });
  },

  unlink(doc, { entity, positions, new_id }) {
    splitOff(doc, entity, [positions], new_id);
  },

  split(doc, { entity, mentions, new_id }) {
    splitOff(doc, entity, mentions as unknown[], new_id);
  },

  merge(doc, { into, other }) {
    const target = doc.entity(into);
    const source = doc.entity(other);
    if (target === source) throw new EditError("An entity cannot be merged with itself.");
    for (const mention of source.mentions) checkFree(doc, target, mention.positions);
    target.type ??= source.type;
    target.attributes = { ...source.attributes, ...target.attributes };
    const moved = [...source.mentions];
    move(doc, moved, source, target);
    doc.entities.delete(source.id);
    follow(doc, { moved: new Set(moved), renamed: { from: source.id, to: target.id } });
  },

  rename_entity(doc, { entity, new_id }) {
    const old = doc.entity(entity);
    const from = old.id;
    const to = newId(doc, new_id);
    doc.entities.delete(from);
    old.id = to;
    doc.entities.set(to, old);
    follow(doc, { renamed: { from, to } });
    doc.touch(old.mentions);
  },

  insert_zero: insertZero,
  remove_zero: removeZero,

  add_bridge(doc, { entity, positions, antecedent, relation }) {
    const anaphor = doc.mention(entity, positions);
    const target = doc.entity(antecedent);
    if (target === anaphor.entity) throw new EditError("A bridge must lead to a different entity.");
    if (doc.bridges.some((bridge) => bridge.anaphor === anaphor && bridge.antecedent === target.id)) {
      throw new EditError("This bridge already exists.");
    }
    doc.bridges = [...doc.bridges, { anaphor, antecedent: target.id, relation: orNull<string>(relation) }];
  },

  remove_bridge(doc, { entity, positions, antecedent }) {
    const anaphor = doc.mention(entity, positions);
    const rest = doc.bridges.filter((bridge) => bridge.anaphor !== anaphor || bridge.antecedent !== antecedent);
    if (rest.length === doc.bridges.length) throw new EditError("There is no such bridge.");
    doc.bridges = rest;
  },

  set_split_antecedent(doc, { entity, positions, antecedents }) {
    const anaphor = doc.mention(entity, positions);
    const members = [...new Set(antecedents as string[])];
    if (members.some((id) => doc.entity(id) === anaphor.entity)) throw new EditError("An entity cannot be its own antecedent.");
    if (members.length < 2) throw new EditError("A split antecedent needs at least two entities.");
    doc.splits = [...doc.splits.filter((split) => split.anaphor !== anaphor), { anaphor, antecedents: members }];
  },

  remove_split_antecedent(doc, { entity, positions }) {
    const anaphor = doc.mention(entity, positions);
    const rest = doc.splits.filter((split) => split.anaphor !== anaphor);
    if (rest.length === doc.splits.length) throw new EditError("There is no split antecedent.");
    doc.splits = rest;
  },
};

function orNull<T>(value: unknown): T | null {
  return (value ?? null) as T | null;
}

function checkHead(head: unknown, positions: readonly number[]): void {
  if (head !== undefined && head !== null && !positions.includes(head as number)) {
    throw new EditError("The head is a word of the mention.");
  }
}

function checkFree(doc: Doc, entity: Entity, positions: readonly number[]): void {
  if (mentionAt(doc, entity, positions)) throw new EditError(`“${entity.id}” already has a mention there.`);
}

function newId(doc: Doc, id: unknown): string {
  if (id === undefined || id === null) return doc.freshId();
  if (id === "") throw new EditError("An entity needs a name.");
  if (doc.entities.has(String(id))) throw new EditError(`There is an entity “${String(id)}” already; merge the two, or choose another name.`);
  return String(id);
}

function makeEntity(doc: Doc, id: string): Entity {
  const entity: Entity = { id, type: null, kind: "entity", attributes: {}, mentions: [] };
  doc.entities.set(id, entity);
  return entity;
}

function take(entity: Entity, mention: Mention): void {
  entity.mentions.splice(entity.mentions.indexOf(mention), 1);
}

function move(doc: Doc, mentions: Mention[], from: Entity, to: Entity): void {
  for (const mention of mentions) mention.entity = to;
  from.mentions = from.mentions.filter(({ entity }) => entity === from);
  if (mentions.length === 1) insertMention(to, mentions[0]!);
  else to.mentions = [...to.mentions, ...mentions].sort(compareMentions);
  doc.touch(mentions);
}

function splitOff(doc: Doc, entity: unknown, mentions: unknown[], id: unknown): void {
  const old = doc.entity(entity);
  const name = newId(doc, id);
  const moved = new Set(mentions.map((positions) => doc.mention(entity, positions)));
  if (!moved.size) throw new EditError("Choose the mentions to split off.");
  if (moved.size === old.mentions.length) throw new EditError("At least one mention must stay.");
  const target = makeEntity(doc, name);
  target.type = old.type;
  target.kind = old.kind;
  move(doc, [...moved], old, target);
  follow(doc, { moved });
}
