/** Changes that were made on an older state of the document, on top of what it is now. */

import { type Doc, type Edit } from "./model";
import { type Operation } from "./storage";

/** The arguments of edits that name entities. */
const NAMING = ["entity", "to", "into", "other", "new_id", "antecedent", "antecedents"];

/** Names for what operations make, where somebody else has meanwhile given the name to something else. */
export class Renaming {
  private names = new Map<string, string>();

  /** The edits of the next operation, as they fit a document in which the earlier ones were done. */
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

/** The entities that edits make. */
export function madeBy(edits: Edit[], doc: Doc): string[] {
  const ids = edits.map(({ name, arguments: args }) => (name === "add_mention" ? args["entity"] : args["new_id"]));
  return [...new Set(ids)].filter((id) => typeof id === "string" && !doc.entities.has(id)) as string[];
}
