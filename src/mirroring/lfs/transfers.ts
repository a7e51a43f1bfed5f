import { forEachWithConcurrency } from '../../core/concurrency.ts';
import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';
import type { LfsTransfer } from './batch.ts';
import { LfsFailure } from './lfs-mirror.failure.ts';
import type { LfsRemote } from './lfs-mirror.remote.ts';

/** Number of objects in a batch request, which common servers accept. */
const BATCH = 100;
/** Time limit in milliseconds for the objects of one update; the next update continues. */
export const LFS_MS = 3_000_000;
/** Number of concurrent transfers of an update. */
const CONCURRENCY = 3;

/** Collects failures by reason and formats them as sentences. */
export class Problems {
  readonly #what: string;
  readonly #signal: AbortSignal;
  readonly #byReason = new Map<string, string[]>();
  readonly #oids = new Set<string>();
  /** The failure that ended all transfers. */
  last: LfsFailure | null = null;

  /**
   * @param what description of the failed action;
   * @param signal of the job, whose reason is not a failure of a transfer
   */
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

  /**
   * Runs work on an object and records a failure that concerns it alone.
   * @throws failures that concern other objects
   */
  async collect(oid: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LfsFailure && error.single)) throw error;
      this.add([oid], error);
    }
  }

  /** Records the failure that ended the transfers. @throws errors not caused by the other server */
  end(error: unknown): void {
    this.#signal.throwIfAborted();
    if (error instanceof LfsFailure) this.last = error;
    else if (error instanceof DOMException && error.name === 'TimeoutError') {
      this.last = new LfsFailure('Timed out; the next update continues.');
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
 * Requests transfers in batches and runs them. Failures are recorded in `problems`.
 * @param work transfers one object as described by the server
 * @throws the reason of the signal of `problems`; errors not caused by the other server
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
