/** Run the model outside a browser, for tests: reads documents and edits as JSON lines, and writes the results. */

import { colour } from "./colours";
import { apply } from "./edits";
import { type Edit, EditError } from "./model";
import { pack, type Payload, unpack } from "./payload";
import { applyAndInvert } from "./undo";

declare const process: {
  stdin: AsyncIterable<string> & { setEncoding(name: string): void };
  stdout: { write(text: string): void };
};

function run(document: Payload, edits: Edit[]): unknown {
  const doc = unpack(document);
  const states: unknown[] = [];
  const undo: Edit[][] = [];
  const snapshot = (): unknown => structuredClone(pack(doc));
  for (const step of edits) {
    try {
      undo.push(applyAndInvert(doc, step));
      states.push(snapshot());
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
      states.push(null);
    }
  }
  for (const steps of undo.reverse()) for (const step of steps) apply(doc, step);
  return { states, undone: snapshot() };
}

function answer(line: string): unknown {
  const given = JSON.parse(line) as { document: Payload; edits: Edit[] } | { colours: string[] };
  return "colours" in given ? given.colours.map(colour) : run(given.document, given.edits);
}

let input = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) {
  const lines = (input + chunk).split("\n");
  input = lines.pop()!;
  for (const line of lines) process.stdout.write(`${JSON.stringify(answer(line))}\n`);
}
