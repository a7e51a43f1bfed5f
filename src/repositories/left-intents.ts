import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/logger.ts';
import { faultOf } from '../core/surroundings.ts';

/** Finishes or drops one intent by its key. */
type Settle = (key: string) => Promise<void>;

const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 10_000;
/** What fails so often for reasons of its own is left to the next start. */
const MAX_TRIES = 20;

/**
 * Intents of this process whose end could not be written because the database was away or the disk full: they are settled
 * as soon as that is over, before the next write to their repository.
 */
export class LeftIntents {
  readonly #left = new Map<string, Map<string, { settle: Settle; tries: number }>>();
  readonly #stop = new AbortController();
  readonly #log: Logger;
  #working: Promise<void> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param repositoryId whose writes wait for it
   * @param key of the intent
   * @param inQueue runs work when the repository's turn to write has come
   */
  add(repositoryId: string, key: string, settle: Settle, inQueue: (work: () => Promise<void>) => Promise<void>): void {
    const keys = this.#left.get(repositoryId) ?? new Map<string, { settle: Settle; tries: number }>();
    this.#left.set(repositoryId, keys.set(key, { settle, tries: 0 }));
    const before = this.#working ?? Promise.resolve();
    this.#working = before.then(() => this.#work(repositoryId, inQueue));
  }

  /**
   * Settles what is left of a repository. Call it in its queue, before another write.
   * @throws the database's error while it is still away
   */
  async settle(repositoryId: string): Promise<void> {
    const keys = this.#left.get(repositoryId);
    for (const [key, left] of keys ?? []) {
      try {
        await left.settle(key);
      } catch (error) {
        if (faultOf(error) !== null) throw error;
        left.tries += 1;
        if (left.tries < MAX_TRIES) continue;
        this.#log.log('error', 'a write could not be settled; the next start tries again', { error: String(error) });
      }
      keys?.delete(key);
    }
    if (keys?.size === 0) this.#left.delete(repositoryId);
  }

  /** Ends the attempts; what is left is settled at the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  async #work(repositoryId: string, inQueue: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    for (let pause = FIRST_PAUSE_MS; this.#left.has(repositoryId); pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await inQueue(() => this.settle(repositoryId));
      } catch {
        // Not yet.
      }
    }
  }
}
