/* Data of a page that are compressed. */
if (!("DecompressionStream" in window)) {
  document.querySelector("main, #lists").textContent = "The data of this page are compressed: a newer browser is needed, of 2023 or later.";
  return;
}

/* What `packed` embedded in the element of this id: base64 of deflated JSON. */
async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
