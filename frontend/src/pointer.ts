/** Select words with the mouse, a pen or a finger. */

import { type Editor } from "./state";
import { type TextView } from "./text";

export function listenToPointer(text: HTMLElement, editor: Editor, view: TextView): void {
  let isDragging = false;
  text.addEventListener("pointerdown", (event) => {
    const at = view.positionOf(event.target);
    if (at < 0 || event.button !== 0) return;
    event.preventDefault();
    text.focus({ preventScroll: true });
    isDragging = true;
    if (event.altKey) editor.beginPiece(at);
    else editor.moveTo(at, { extend: event.shiftKey });
  });
  text.addEventListener("pointermove", (event) => {
    if (!isDragging) return;
    const at = view.positionOf(document.elementFromPoint(event.clientX, event.clientY));
    if (at >= 0 && at !== editor.caret) editor.moveTo(at, { extend: true });
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { isDragging = false; });
}
