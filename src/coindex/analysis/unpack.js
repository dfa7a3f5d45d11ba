/* The compressed data of a page. */
if (!("DecompressionStream" in window)) {
  document.querySelector("main, #lists").textContent = "This page needs a newer browser (2023 or later), as its data are compressed.";
  return;
}

/* Return the data that `pack_json` embedded in an element. The script may run while the page is still loading and adds
   elements itself, so only the full stop at the end of the data shows that they are complete. */
async function arrived(id) {
  for (;;) {
    const isRead = document.readyState !== "loading";
    const text = document.getElementById(id)?.textContent;
    if (text?.endsWith(".")) return text.slice(0, -1);
    if (isRead) throw new Error("its data are missing; the file is incomplete");
    await new Promise((later) => setTimeout(later, 10));
  }
}

/* Unpack data, which are deflated JSON in base64. */
async function unpack(id) {
  const text = atob(await arrived(id)), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const inflate = new DecompressionStream("deflate"), writer = inflate.writable.getWriter();
  writer.write(bytes); // errors are reported by the readable end
  writer.close();
  return JSON.parse(await new Response(inflate.readable).text());
}
