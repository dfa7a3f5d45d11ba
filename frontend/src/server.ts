/** Requests of the editor to the server; see docs/reference/annotation-api.md. */

import { type Step } from "./history";
import { type Payload } from "./payload";
import { type Operation } from "./storage";

export interface Schema {
  /** Allowed types of entities; empty if any type is allowed. */
  types: string[];
  /** Attributes of mentions with their allowed values; an empty list for free text. */
  attributes: { name: string; title?: string; values?: string[] }[];
  /** Guidelines for annotators. */
  rules: string[];
}

/** An entity of other documents of the project. */
export interface Candidate {
  id: string;
  name: string;
  documents: number;
}

export interface Loaded {
  layer: { name: string };
  is_editable: boolean;
  form_token: string;
  settings: { schema?: Partial<Schema>; shared_entities?: boolean };
  revision: number;
  can_undo: boolean;
  can_redo: boolean;
  document: Payload;
}

export interface Batch {
  base: number;
  client: string;
  operations: Operation[];
  takesOver: boolean;
}

export type Answer =
  | { kind: "done"; revision: number; steps: (Step & { sequence: number })[] }
  | { kind: "conflict"; base: number; revision: number }
  | { kind: "refused"; message: string }
  | { kind: "signed-out" }
  | { kind: "unreachable" };

/** Long, because thousands of new mentions in a novel take the server a while. */
const PATIENCE = 120_000;

export class ServerError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export class Server {
  private token = "";

  constructor(private url: string) {}

  async load(): Promise<Loaded> {
    const loaded = await this.get<Loaded>("data?for=editor");
    this.token = loaded.form_token;
    return loaded;
  }

  /** Return entities of other documents, if the project shares them. */
  async shared(): Promise<Candidate[]> {
    return (await this.get<{ entities: Candidate[] }>("shared")).entities;
  }

  async send(batch: Batch): Promise<Answer> {
    let answer = await this.post(batch);
    if (answer === 403 && (await this.renewToken(batch.base))) answer = await this.post(batch);
    if (answer === 401) return { kind: "signed-out" };
    return answer === 403 ? { kind: "refused", message: "You may no longer change this layer." } : (answer as Answer);
  }

  private async post({ base, client, operations, takesOver }: Batch): Promise<Answer | 401 | 403> {
    const body = { base, client, operations: operations.map(sent), ...(takesOver && { take_over: true }) };
    let response: Response;
    try {
      response = await fetch(`${this.url}/operations`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Form-Token": this.token },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (response.ok) return { kind: "done", ...((await response.json()) as { revision: number; steps: [] }) };
      if (response.status === 409) return { kind: "conflict", ...((await response.json()) as { base: number; revision: number }) };
    } catch {
      return { kind: "unreachable" };
    }
    if (response.status === 401 || response.status === 403) return response.status;
    if (response.status >= 500 || response.status === 429) return { kind: "unreachable" };
    return { kind: "refused", message: await reason(response) };
  }

  /** Refresh the form token, which changes with each login. */
  private async renewToken(since: number): Promise<boolean> {
    try {
      const { form_token } = await this.get<{ form_token?: string }>(`operations?since=${since}`);
      const isNew = form_token !== undefined && form_token !== this.token;
      this.token = form_token ?? this.token;
      return isNew;
    } catch {
      return false;
    }
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/${path}`, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (!response.ok) throw new ServerError(response.status, await reason(response));
    return (await response.json()) as T;
  }
}

/** Undo and redo have no edits: the server uses its log. */
function sent({ sequence, kind, edits }: Operation): Operation {
  return { sequence, kind, edits: kind === "edit" ? edits : [] };
}

async function reason(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: string };
    return error ?? response.statusText;
  } catch {
    return `${response.status} ${response.statusText}`;
  }
}
