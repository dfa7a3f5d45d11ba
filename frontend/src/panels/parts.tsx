/** Components that several panels use. */

import { type JSX } from "preact";
import { colour } from "../colours";

/** A spot in an entity's colour. */
export function Dot({ id }: { id: string }): JSX.Element {
  return <span class="dot" aria-hidden="true" ref={(dot) => { dot?.style.setProperty("background", colour(id)); }} />;
}

/** A selection from the allowed values, or a text field if any value is allowed. */
export function Choice(props: {
  value: string; values: readonly string[]; titles?: readonly string[]; isNeeded?: boolean; isReadOnly: boolean; onChange: (value: string) => void;
}): JSX.Element {
  const { value, values, isReadOnly, onChange } = props;
  if (!values.length) {
    // Not `value`: what is being typed must survive when the page is drawn again.
    return <input key={value} defaultValue={value} disabled={isReadOnly} dir="auto" onChange={(event) => onChange(event.currentTarget.value.trim())} />;
  }
  const isKnown = values.includes(value) || value === "";
  return (
    <select value={value} disabled={isReadOnly} onChange={(event) => onChange(event.currentTarget.value)}>
      {!props.isNeeded && <option value="">—</option>}
      {!isKnown && <option value={value}>{value}</option>}
      {values.map((option, at) => <option key={option} value={option}>{props.titles?.[at] ?? option}</option>)}
    </select>
  );
}

export function focusText(): void {
  document.getElementById("text")?.focus({ preventScroll: true });
}
