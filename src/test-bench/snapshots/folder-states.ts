import type { BigIntStats } from 'node:fs';

/**
 * Milliseconds within which a folder may change again without another time: the kernel's clock for files has ticks of up
 * to 10 ms.
 */
const TICK_NS = 30_000_000n;

interface State {
  changedNs: bigint;
  ino: bigint;
  /** Time of the look. */
  atNs: bigint;
  signature: string;
}

/** What folders held when this process last looked, so that unchanged ones need not be read again. */
export class FolderStates {
  #states = new Map<string, State>();
  #next: Map<string, State> | null = null;

  /** Notes what a folder holds. @param stats of the folder, read before its content, or after it was written */
  note(path: string, { ctimeNs, ino }: BigIntStats, signature: string): void {
    const state = { changedNs: ctimeNs, ino, atNs: BigInt(Date.now()) * 1_000_000n, signature };
    (this.#next ?? this.#states).set(path, state);
  }

  /** Whether a folder surely holds what the signature says. */
  holds(path: string, { ctimeNs, ino }: BigIntStats, signature: string): boolean {
    const known = this.#states.get(path);
    if (known === undefined || known.signature !== signature) return false;
    if (known.changedNs !== ctimeNs || known.ino !== ino || known.changedNs > known.atNs - TICK_NS) return false;
    this.#next?.set(path, known);
    return true;
  }

  /** Begins to note all folders anew: those that are not noted until `end` are dropped. */
  begin(): void {
    this.#next = new Map();
  }

  end(): void {
    if (this.#next !== null) this.#states = this.#next;
    this.#next = null;
  }

  clear(): void {
    this.#states = new Map();
    this.#next = null;
  }
}
