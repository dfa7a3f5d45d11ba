/** Update bridges and split antecedents when mentions and entities change. */

import { type Bridge, type Doc, type Mention, type Split } from "./model";

export interface Changes {
  /** Mentions that moved to another entity. */
  moved?: ReadonlySet<Mention>;
  /** A deleted mention. */
  gone?: Mention;
  /** An entity that was renamed or deleted. */
  renamed?: { from: string; to: string | null };
}

/** Remove relations without one of their ends, from an entity to itself, and duplicates. */
export function follow(doc: Doc, changes: Changes): void {
  const { moved, gone, renamed } = changes;
  const isTouched = (anaphor: Mention, targets: readonly string[]): boolean =>
    anaphor === gone || (moved?.has(anaphor) ?? false) || (renamed !== undefined && targets.includes(renamed.from));
  const to = (id: string): string | null => (id === renamed?.from ? renamed.to : id);

  const bridges = doc.bridges.filter(({ anaphor, antecedent }) => !isTouched(anaphor, [antecedent]));
  if (bridges.length < doc.bridges.length) {
    const touched = doc.bridges.filter(({ anaphor, antecedent }) => isTouched(anaphor, [antecedent]));
    for (const bridge of touched) {
      const followed = followBridge(bridge, to, gone);
      if (followed && !bridges.some((other) => isSameBridge(other, followed))) bridges.push(followed);
    }
    doc.bridges = bridges;
  }
  if (doc.splits.some(({ anaphor, antecedents }) => isTouched(anaphor, antecedents))) {
    doc.splits = doc.splits.flatMap((split) => (isTouched(split.anaphor, split.antecedents) ? followSplit(split, to, gone) : [split]));
  }
}

function followBridge(bridge: Bridge, to: (id: string) => string | null, gone?: Mention): Bridge | null {
  const antecedent = to(bridge.antecedent);
  if (bridge.anaphor === gone || antecedent === null || antecedent === bridge.anaphor.entity.id) return null;
  return antecedent === bridge.antecedent ? bridge : { ...bridge, antecedent };
}

function followSplit(split: Split, to: (id: string) => string | null, gone?: Mention): Split[] {
  const own = split.anaphor.entity.id;
  const members = [...new Set(split.antecedents.map(to))].filter((id) => id !== null && id !== own) as string[];
  return split.anaphor === gone || members.length < 2 ? [] : [{ ...split, antecedents: members }];
}

function isSameBridge(one: Bridge, other: Bridge): boolean {
  return one.anaphor === other.anaphor && one.antecedent === other.antecedent;
}
