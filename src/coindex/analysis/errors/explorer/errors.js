/* All errors, in a few numbers each. The index has of each document its name, its genre, a digit for each error's kind,
   type and change, then the sentences of errors and the texts of the mentions they involve, their own first. */
const index = await unpack("index");
const two = index.responses.length > 1;
const SIDES = ["Key", ...index.responses], CHANGES = ["in both", `fixed by ${index.responses[1]}`, `broken by ${index.responses[1]}`];

const total = index.docs.reduce((sum, doc) => sum + doc[2].length, 0);
const all = { doc: new Uint32Array(total), at: new Uint32Array(total), kind: new Uint8Array(total), type: new Uint8Array(total), change: new Uint8Array(total) };
const first = []; // the number of the first error of each document
{
  let n = 0;
  index.docs.forEach(([, , kinds, types, changes], doc) => {
    first.push(n);
    for (let at = 0; at < kinds.length; at++, n++) {
      all.doc[n] = doc;
      all.at[n] = at;
      all.kind[n] = kinds.charCodeAt(at) - 48;
      all.type[n] = types.charCodeAt(at) - 48;
      all.change[n] = changes.charCodeAt(at) - 48;
    }
  });
}
const documentOf = (n) => index.docs[all.doc[n]][0];
const sentenceOf = (n) => index.docs[all.doc[n]][5][all.at[n]];
const kindOf = (n) => index.kinds[all.kind[n]];
const textOf = (n) => index.docs[all.doc[n]][6][all.at[n]];
const subjectOf = (n) => textOf(n).split("\t", 1)[0];
