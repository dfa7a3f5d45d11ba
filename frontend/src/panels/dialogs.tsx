/** Windows over the page: help, conflicts, changes that were left behind. */

import { type ComponentChildren, type JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { GROUPS, KEYS } from "../keys";
import { type Edit } from "../model";
import { count } from "../names";

/** It takes the keys until it is closed; without `onClose` one of its buttons must be chosen. */
export function Dialog(props: { title: string; isWide?: boolean; onClose?: () => void; children: ComponentChildren }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={props.isWide ? "wide" : ""} aria-label={props.title} onCancel={(event) => { event.preventDefault(); props.onClose?.(); }}>
      <h2>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keyboard map" isWide onClose={onClose}>
      <p>Drag over words to choose them; hold Alt and drag again for a mention in several pieces. A click takes the smallest mention, a second click the next larger.</p>
      <div class="keys" tabIndex={0} role="group" aria-label="Keys">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {KEYS.filter((key) => key.group === group).map(({ shown, says }) => (
                <div key={shown}><dt>{shown.split(" or ").map((one) => <kbd key={one}>{one}</kbd>)}</dt><dd>{says}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="row"><button type="button" class="primary" onClick={onClose}>Close</button></div>
    </Dialog>
  );
}

export function Conflict(props: { others: number; unsent: Edit[][]; onReload: () => void; onTakeOver: () => void }): JSX.Element {
  return (
    <Dialog title="This layer was changed elsewhere">
      <p>{count(props.others, "change was", "changes were")} made in another window or on another machine since this page was opened.
        Here {count(props.unsent.length, "change is", "changes are")} not saved yet.</p>
      <p><b>Reload</b> shows what is there now, and then asks whether to put your changes on top of it.</p>
      <p><b>Take over</b> saves what this page shows and takes back what was done elsewhere, in one step that Undo brings back.</p>
      <div class="row">
        <button type="button" class="primary" onClick={props.onReload}>Reload</button>
        <button type="button" onClick={props.onTakeOver}>Take over</button>
        <KeepAsFile edits={props.unsent} />
      </div>
    </Dialog>
  );
}

export function Refused(props: { message: string; unsent: Edit[][]; onReload: () => void }): JSX.Element {
  return (
    <Dialog title="The server refused a change">
      <p>{props.message}</p>
      <p>{count(props.unsent.length, "change is", "changes are")} not saved. After a reload you are asked what to do with {props.unsent.length === 1 ? "it" : "them"}.</p>
      <div class="row"><button type="button" class="primary" onClick={props.onReload}>Reload</button><KeepAsFile edits={props.unsent} /></div>
    </Dialog>
  );
}

export function Left(props: { edits: Edit[][]; onApply: () => void; onDiscard: () => void; onLater: () => void }): JSX.Element {
  return (
    <Dialog title="Changes that were not saved" onClose={props.onLater}>
      <p>{count(props.edits.length, "change", "changes")} made earlier in this browser could not be saved, because the layer had been changed elsewhere.</p>
      <div class="row">
        <button type="button" class="primary" onClick={props.onApply}>Put on top</button>
        <button type="button" onClick={props.onLater}>Ask later</button>
        <button type="button" onClick={props.onDiscard}>Discard</button>
        <KeepAsFile edits={props.edits} />
      </div>
    </Dialog>
  );
}

export function Lost({ edits, onClose }: { edits: Edit[][]; onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Some changes no longer fit" onClose={onClose}>
      <p>{count(edits.length, "change does", "changes do")} not fit what the layer holds now. All others were put on top.</p>
      <div class="row"><button type="button" class="primary" onClick={onClose}>Close</button><KeepAsFile edits={edits} /></div>
    </Dialog>
  );
}

function KeepAsFile({ edits }: { edits: Edit[][] }): JSX.Element {
  const url = useMemo(() => URL.createObjectURL(new Blob([JSON.stringify(edits, null, 1)], { type: "application/json" })), [edits]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <a href={url} download="coindex-changes.json">Keep as a file</a>;
}
