import { LfsFailure } from './failure.ts';

/** Objects that are asked for at once: what servers commonly take. */
export const BATCH = 100;
/** Milliseconds for the objects of one update; the next one goes on. */
export const LFS_MS = 3_000_000;
/** Objects of one update that are under way at once. */
const AT_ONCE = 3;

/**
 * Does something with each of many objects, a few at a time. The first error ends all that is under way, by the signal
 * that the work is given, and is thrown once that has ended.
 */
export async function inTurns<T>(
  objects: readonly T[],
  signal: AbortSignal,
  work: (object: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const queue = objects.values();
  const cut = new AbortController();
  const both = AbortSignal.any([signal, cut.signal]);
  const errors: unknown[] = [];
  const worker = async () => {
    for (const object of queue) {
      await work(object, both).catch((error: unknown) => {
        errors.push(error);
        cut.abort();
      });
      if (cut.signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (errors.length > 0) throw errors[0];
}

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
