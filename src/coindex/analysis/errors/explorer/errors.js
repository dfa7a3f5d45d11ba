/* All errors as numbers. The index contains for each document its name, its genre, and digits with the kind, type and
   change of each error. The chunks #t0, #t1, … contain the sentences of `index.chunk` errors each, and the texts of
   their mentions. */
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

/* The loaded chunks. `missing` returns a promise of the missing chunks of these errors, or null. */
const chunks = [], coming = new Map();
const EVERYWHERE = Array.from({ length: Math.ceil(total / index.chunk) }, (_, at) => at * index.chunk); // one error per chunk
const chunkOf = (n) => Math.floor(n / index.chunk);
function missing(errors) {
  const wanted = [...new Set(Array.from(errors, chunkOf))].filter((at) => !chunks[at]);
  for (const at of wanted) if (!coming.has(at)) coming.set(at, unpack(`t${at}`).then((data) => { chunks[at] = data; }));
  return wanted.length ? Promise.all(wanted.map((at) => coming.get(at))) : null;
}

const documentOf = (n) => index.docs[all.doc[n]][0];
const kindOf = (n) => index.kinds[all.kind[n]];
/* These need the chunk of the error: */
const sentenceOf = (n) => chunks[chunkOf(n)][0][n % index.chunk];
const textOf = (n) => chunks[chunkOf(n)][1][n % index.chunk];
const subjectOf = (n) => textOf(n).split("\t", 1)[0];
