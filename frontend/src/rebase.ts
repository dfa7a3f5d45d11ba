/** Apply changes that were made to an older version of the document to the current one. */

import { type Doc, type Edit } from "./model";
import { type Operation } from "./storage";

/** The arguments of edits that name entities. */
const NAMING = ["entity", "to", "into", "other", "new_id", "antecedent", "antecedents"];

/** New ids for entities of operations if another user has meanwhile used the same ids. */
export class Renaming {
  private names = new Map<string, string>();

  /** Return the edits of the next operation for a document to which the earlier ones were applied. */
  next({ edits, made }: Operation, doc: Doc): Edit[] {
    for (const id of made ?? []) if (doc.entities.has(id)) this.names.set(id, doc.freshId());
    if (!this.names.size) return edits;
    const now = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(now);
      return typeof value === "string" ? (this.names.get(value) ?? value) : value;
    };
    return edits.map(({ name, arguments: args }) => ({
      name,
      arguments: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, NAMING.includes(key) ? now(value) : value])),
    }));
  }
}

/** Return the entities that edits create. */
export function madeBy(edits: Edit[], doc: Doc): string[] {
  const ids = edits.map(({ name, arguments: args }) => (name === "add_mention" ? args["entity"] : args["new_id"]));
  return [...new Set(ids)].filter((id) => typeof id === "string" && !doc.entities.has(id)) as string[];
}
