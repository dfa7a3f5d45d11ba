/** The project's rules, to look up while annotating. */

import { type JSX } from "preact";
import { type Schema } from "../server";

export function Rules({ schema }: { schema: Schema }): JSX.Element | null {
  if (!schema.rules.length) return null;
  return (
    <section class="panel" aria-label="Rules">
      <details><summary>Rules of this project</summary><ul class="rules">{schema.rules.map((rule) => <li key={rule}>{rule}</li>)}</ul></details>
    </section>
  );
}
