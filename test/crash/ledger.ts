import { createHash } from 'node:crypto';

/** Files of a commit by path: mode and blob, as `git ls-tree` gives them. */
export type Files = ReadonlyMap<string, string>;

/** What a ref must point at. */
export interface Tip {
  oid: string;
  files: Files;
  /** Commits that must be part of its history. */
  history: readonly string[];
}

/** What a ref becomes: a tip whose id only the server's answer tells has a label that is in its message instead. */
export type Next = Omit<Tip, 'oid'> & ({ oid: string } | { oid: null; label: string });

export interface Change {
  ref: string;
  before: Tip | null;
  after: Next | null;
}

/** Changes that one request asks for: all of them happen, or none. */
export interface Operation {
  name: string;
  changes: readonly Change[];
}

export interface AppliedChange {
  ref: string;
  old: string | null;
  new: string | null;
}

/**
 * How a request ended. `oids` are in the order of the changes; without them only the repository tells what the server
 * has made.
 */
export type Outcome = { acknowledged: true; oids?: readonly string[] } | { acknowledged: false };

/** A request whose result is not known yet. */
export interface OpenOperation extends Operation {
  /** Whether the server has said that it took place. */
  acknowledged: boolean;
}

/** What one repository must hold, by what its server has acknowledged. */
export class Ledger {
  readonly tips = new Map<string, Tip>();
  /** Every operation that took place, in the order in which this became known. */
  readonly applied: AppliedChange[][] = [];
  readonly #open = new Set<OpenOperation>();
  acknowledged = 0;

  /**
   * Sends a request and keeps what comes of it.
   * @throws what `send` throws
   */
  async attempt(operation: Operation, send: () => Promise<Outcome>): Promise<void> {
    const open = { ...operation, acknowledged: false };
    this.#open.add(open);
    const outcome = await send();
    if (!outcome.acknowledged) return;
    this.acknowledged += 1;
    open.acknowledged = true;
    const oids = operation.changes.map(({ after }, index) => after?.oid ?? outcome.oids?.[index] ?? null);
    if (operation.changes.every(({ after }, index) => after === null || oids[index] !== null)) this.#apply(open, oids);
  }

  /** Requests that were not answered, or not with the ids they made. */
  get open(): readonly OpenOperation[] {
    return [...this.#open];
  }

  /** Decides about an open request. @param oids what its refs hold now; null when it never took place */
  settle(operation: OpenOperation, oids: readonly (string | null)[] | null): void {
    if (oids === null) this.#open.delete(operation);
    else this.#apply(operation, oids);
  }

  #apply(operation: OpenOperation, oids: readonly (string | null)[]): void {
    this.#open.delete(operation);
    const changes = operation.changes.map(({ ref, before, after }, index): AppliedChange => {
      const oid = oids[index] ?? null;
      if (after === null || oid === null) this.tips.delete(ref);
      else this.tips.set(ref, { oid, files: after.files, history: [...after.history, oid] });
      return { ref, old: before?.oid ?? null, new: oid };
    });
    this.applied.push(changes);
  }
}

/** Mode and id of a file as a tree names it. */
export function treeEntry(content: string, executable = false): string {
  const data = Buffer.from(content);
  const oid = createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex');
  return `${executable ? '100755' : '100644'} ${oid}`;
}
