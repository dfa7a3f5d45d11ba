/** Operations that the server does not have yet, in the browser's storage, so that a reload does not lose them. */

import { type Act } from "./history";
import { type Edit } from "./model";

export interface Operation {
  sequence: number;
  kind: Act;
  /** Its edits; none if only the server knows what is undone. */
  edits: Edit[];
  /** The ids of entities that it created. */
  made?: string[];
}

/** Operations of one page on one layer, made on the document at revision `base`. */
export interface Waiting {
  client: string;
  base: number;
  operations: Operation[];
}

export class Shelf {
  private readonly prefix: string;

  constructor(
    private storage: Storage,
    private layer: string,
    readonly client: string,
  ) {
    this.prefix = keyOf(layer, client);
    void hold(this.prefix);
  }

  /** Save an operation; return false if the storage is full. */
  keep(base: number, operation: Operation): boolean {
    try {
      this.storage.setItem(`${this.prefix}:base`, String(base));
      this.storage.setItem(`${this.prefix}:${operation.sequence}`, JSON.stringify(operation));
      return true;
    } catch {
      return false;
    }
  }

  /** Remove operations that the server has; the others are based on this revision. */
  drop(base: number, operations: Operation[], rest: number): void {
    for (const { sequence } of operations) this.storage.removeItem(`${this.prefix}:${sequence}`);
    if (rest) this.storage.setItem(`${this.prefix}:base`, String(base));
    else this.storage.removeItem(`${this.prefix}:base`);
  }

  /** Return what earlier pages of this layer left unsent, except for pages that are still open. */
  async left(): Promise<Waiting[]> {
    const start = keyOf(this.layer, "");
    const clients = new Set(Object.keys(this.storage).filter((key) => key.startsWith(start)).map((key) => key.slice(start.length).split(":")[0]!));
    const found: Waiting[] = [];
    for (const client of [...clients].sort()) {
      if (client !== this.client && !(await isHeld(keyOf(this.layer, client)))) found.push(this.read(client));
    }
    return found.filter(({ operations }) => operations.length);
  }

  private read(client: string): Waiting {
    const prefix = `${keyOf(this.layer, client)}:`;
    const keys = Object.keys(this.storage).filter((key) => key.startsWith(prefix) && key !== `${prefix}base`);
    const operations = keys.map((key) => JSON.parse(this.storage.getItem(key)!) as Operation);
    operations.sort((a, b) => a.sequence - b.sequence);
    return { client, base: Number(this.storage.getItem(`${prefix}base`)), operations };
  }

  forget({ client }: Waiting): void {
    const prefix = `${keyOf(this.layer, client)}:`;
    for (const key of Object.keys(this.storage)) if (key.startsWith(prefix)) this.storage.removeItem(key);
  }
}

function keyOf(layer: string, client: string): string {
  return `coindex:${layer}:${client}`;
}

/** A lock that the browser releases when the page is closed; only available in secure contexts. */
async function hold(name: string): Promise<void> {
  await navigator.locks?.request(name, () => new Promise<never>(() => undefined));
}

async function isHeld(name: string): Promise<boolean> {
  const state = await navigator.locks?.query();
  return state?.held?.some((lock) => lock.name === name) ?? false;
}
