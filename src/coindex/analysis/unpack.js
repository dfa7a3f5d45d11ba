/* Data of a page that are compressed. */
if (!("DecompressionStream" in window)) {
  document.querySelector("main, #lists").textContent = "The data of this page are compressed: a newer browser is needed, of 2023 or later.";
  return;
}

/* The element of this id when it is whole: the script may run while the rest of the page is still being read. */
async function arrived(id) {
  for (;;) {
    const found = document.getElementById(id);
    const isRead = document.readyState !== "loading";
    if (found && (found.nextElementSibling || isRead)) return found;
    if (isRead) throw new Error("its data are missing: the file is not whole");
    await new Promise((later) => setTimeout(later, 10));
  }
}

/* What `packed` embedded in the element of this id: base64 of deflated JSON. */
async function unpack(id) {
  const text = atob((await arrived(id)).textContent), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const inflate = new DecompressionStream("deflate"), writer = inflate.writable.getWriter();
  writer.write(bytes); // what goes wrong is told by the other end
  writer.close();
  return JSON.parse(await new Response(inflate.readable).text());
}
