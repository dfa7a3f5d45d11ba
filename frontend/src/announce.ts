/** Text for screen readers: the word at the caret and the selected mention, or the selected words. */

import { count, entityName, mentionName, textOf, wordAt } from "./names";
import { type Editor } from "./state";

export function announcement({ doc, mention, selection, caret }: Editor): string {
  if (!doc.length) return "The document is empty.";
  if (!selection.isEmpty) return `Selected: ${textOf(doc, selection.words)}`;
  const word = wordAt(doc, caret);
  if (!mention) return word;
  const { entity, head } = mention;
  const place = `${entity.mentions.indexOf(mention) + 1} of ${count(entity.mentions.length, "mention")} of ${entityName(doc, entity)}`;
  const parts = [word, `“${mentionName(doc, mention)}”`, place, entity.type ?? "", head === null ? "" : `head ${wordAt(doc, head)}`];
  return parts.filter(Boolean).join(", ");
}
