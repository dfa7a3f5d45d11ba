/* Data of a page that are compressed. */
if (!("DecompressionStream" in window)) {
  document.querySelector("main, #lists").textContent = "The data of this page are compressed: a newer browser is needed, of 2023 or later.";
  return;
}

/* What `packed` embedded in the element of this id: the script may run while the page is still being read, and adds
   elements of its own, so that only the full stop at the end tells that all of it is there. */
async function arrived(id) {
  for (;;) {
    const isRead = document.readyState !== "loading";
    const text = document.getElementById(id)?.textContent;
    if (text?.endsWith(".")) return text.slice(0, -1);
    if (isRead) throw new Error("its data are missing: the file is not whole");
    await new Promise((later) => setTimeout(later, 10));
  }
}

/* The data, which are base64 of deflated JSON. */
async function unpack(id) {
  const text = atob(await arrived(id)), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const inflate = new DecompressionStream("deflate"), writer = inflate.writable.getWriter();
  writer.write(bytes); // what goes wrong is told by the other end
  writer.close();
  return JSON.parse(await new Response(inflate.readable).text());
}
