/** Dialogs: help, conflicts, unsaved changes. */

import { type ComponentChildren, type JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { GROUPS, KEYS } from "../keys";
import { type Edit } from "../model";
import { count } from "../names";

/** A modal dialog; without `onClose` the user must choose one of its buttons. */
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
    <Dialog title="Keyboard shortcuts" isWide onClose={onClose}>
      <p>Drag over words to select them; hold Alt and drag again to add another part of a discontinuous mention. Click to select the smallest mention, click again for the next larger one.</p>
      <div class="keys" tabIndex={0} role="group" aria-label="Keys">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {KEYS.filter((key) => key.group === group).map(({ shown, description }) => (
                <div key={shown}><dt>{shown.split(" or ").map((name) => <kbd key={name}>{name}</kbd>)}</dt><dd>{description}</dd></div>
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
      <p><b>Reload</b> shows the current version and then asks whether to reapply your changes.</p>
      <p><b>Overwrite</b> saves what this page shows and reverts the changes made elsewhere. You can undo this in one step.</p>
      <div class="row">
        <button type="button" class="primary" onClick={props.onReload}>Reload</button>
        <button type="button" onClick={props.onTakeOver}>Overwrite</button>
        <DownloadAsFile edits={props.unsent} />
      </div>
    </Dialog>
  );
}

export function Refused(props: { message: string; unsent: Edit[][]; onReload: () => void }): JSX.Element {
  return (
    <Dialog title="The server refused a change">
      <p>{props.message}</p>
      <p>{count(props.unsent.length, "change is", "changes are")} not saved. After a reload you are asked what to do with {props.unsent.length === 1 ? "it" : "them"}.</p>
      <div class="row"><button type="button" class="primary" onClick={props.onReload}>Reload</button><DownloadAsFile edits={props.unsent} /></div>
    </Dialog>
  );
}

export function Left(props: { edits: Edit[][]; onApply: () => void; onDiscard: () => void; onLater: () => void }): JSX.Element {
  return (
    <Dialog title="Unsaved changes" onClose={props.onLater}>
      <p>{count(props.edits.length, "change", "changes")} made earlier in this browser could not be saved, because the layer had been changed elsewhere.</p>
      <div class="row">
        <button type="button" class="primary" onClick={props.onApply}>Reapply</button>
        <button type="button" onClick={props.onLater}>Ask later</button>
        <button type="button" onClick={props.onDiscard}>Discard</button>
        <DownloadAsFile edits={props.edits} />
      </div>
    </Dialog>
  );
}

export function Lost({ edits, onClose }: { edits: Edit[][]; onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Some changes no longer fit" onClose={onClose}>
      <p>{count(edits.length, "change does", "changes do")} not fit the current version of the layer. All others were reapplied.</p>
      <div class="row"><button type="button" class="primary" onClick={onClose}>Close</button><DownloadAsFile edits={edits} /></div>
    </Dialog>
  );
}

function DownloadAsFile({ edits }: { edits: Edit[][] }): JSX.Element {
  const url = useMemo(() => URL.createObjectURL(new Blob([JSON.stringify(edits, null, 1)], { type: "application/json" })), [edits]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <a href={url} download="coindex-changes.json">Download as a file</a>;
}
