/** Search the text of sentences by regular expressions. */

import { type Doc } from "./model";

/** Return the words of each match, sentence by sentence. An invalid pattern throws SyntaxError. */
export function search(doc: Doc, pattern: string): number[][] {
  const wanted = new RegExp(pattern, "giu");
  const found: number[][] = [];
  for (const { start, end } of doc.sentences) {
    const { text, starts } = surface(doc, start, end);
    for (const match of text.matchAll(wanted)) {
      const first = match.index + match[0].length - match[0].trimStart().length;
      const last = match.index + match[0].trimEnd().length;
      const positions: number[] = [];
      for (let at = start; at < end && starts[at - start]! < last; at++) {
        const begin = starts[at - start]!;
        if (!doc.isZero(at) && begin + doc.words.forms[at]!.length > first) positions.push(at);
      }
      if (positions.length) found.push(positions);
    }
  }
  return found;
}

function surface(doc: Doc, start: number, end: number): { text: string; starts: number[] } {
  const { forms, joined } = doc.words;
  const starts: number[] = [];
  let text = "";
  for (let at = start; at < end; at++) {
    starts.push(text.length);
    if (!doc.isZero(at)) text += joined[at] ? forms[at]! : `${forms[at]!} `;
  }
  return { text, starts };
}
