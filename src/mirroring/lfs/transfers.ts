import { forEachWithConcurrency } from '../../core/concurrency.ts';
import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';
import type { LfsTransfer } from './batch.ts';
import { LfsFailure } from './lfs-mirror.failure.ts';
import type { LfsRemote } from './lfs-mirror.remote.ts';

/** Objects that are asked for at once: what servers commonly take. */
const BATCH = 100;
/** Milliseconds for the objects of one update; the next one goes on. */
export const LFS_MS = 3_000_000;
/** Objects of one update that are under way at once. */
const CONCURRENCY = 3;

/** What went wrong with which objects, and the sentences that tell it. */
export class Problems {
  readonly #what: string;
  readonly #signal: AbortSignal;
  readonly #byReason = new Map<string, string[]>();
  readonly #oids = new Set<string>();
  /** What ended the transfers of all. */
  last: LfsFailure | null = null;

  /** @param what happened to them; @param signal of the job, whose reason is no problem of theirs */
  constructor(what: string, signal: AbortSignal) {
    this.#what = what;
    this.#signal = signal;
  }

  has(oid: string): boolean {
    return this.#oids.has(oid);
  }

  add(oids: readonly string[], { message }: LfsFailure): void {
    if (oids.length === 0) return;
    this.#byReason.set(message, [...(this.#byReason.get(message) ?? []), ...oids]);
    for (const oid of oids) this.#oids.add(oid);
  }

  /** Does something with an object, and notes what is wrong with it alone. @throws what concerns others, too */
  async collect(oid: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LfsFailure && error.single)) throw error;
      this.add([oid], error);
    }
  }

  /** Notes what ended the transfers. @throws what is no fault of the other server */
  end(error: unknown): void {
    this.#signal.throwIfAborted();
    if (error instanceof LfsFailure) this.last = error;
    else if (error instanceof DOMException && error.name === 'TimeoutError') {
      this.last = new LfsFailure('They took too long: the next update goes on.');
    } else throw error;
  }

  get text(): string | null {
    if (this.#byReason.size === 0) return null;
    const sentences = [...this.#byReason].map(([reason, oids]) => {
      const many = oids.length === 1 ? `LFS object ${oids[0]}` : `${oids.length} LFS objects (among them ${oids[0]})`;
      return `${many} ${this.#what}: ${reason}`;
    });
    return sentences.join(' ');
  }
}

/**
 * Asks another server how objects are transferred, many at once, and transfers them. What goes wrong is noted in `problems`.
 * @param work transfers one object as the server has said
 * @throws the reason of the signal of `problems`; what is no fault of the other server
 */
export async function transferAll(
  remote: LfsRemote,
  operation: 'download' | 'upload',
  objects: readonly LfsObject[],
  signal: AbortSignal,
  problems: Problems,
  work: (object: LfsObject, transfer: LfsTransfer | undefined, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    for (let at = 0; at < objects.length; at += BATCH) {
      const some = objects.slice(at, at + BATCH);
      const transfers = await remote.batch(operation, some, signal);
      await forEachWithConcurrency(some, CONCURRENCY, signal, (object, signal) =>
        problems.collect(object.oid, () => work(object, transfers.get(object.oid), signal)),
      );
    }
  } catch (error) {
    problems.end(error);
  }
}
