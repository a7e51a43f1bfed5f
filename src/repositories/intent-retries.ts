import { setTimeout as sleep } from 'node:timers/promises';
import { environmentFaultOf } from '../core/environment-fault.ts';
import type { Logger } from '../core/logger.ts';

/** Completes or drops one intent by its key. */
type Recover = (key: string) => Promise<void>;

const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 10_000;
/** Maximum number of attempts for permanent failures; then the next start retries. */
const MAX_TRIES = 20;

/**
 * Intents of this process whose end could not be written, because the database was unavailable or the disk full. They
 * are recovered as soon as possible, and before the next write to their repository.
 */
export class IntentRetries {
  readonly #waiting = new Map<string, Map<string, { recover: Recover; tries: number }>>();
  readonly #stop = new AbortController();
  readonly #log: Logger;
  #working: Promise<void> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Adds an intent to recover.
   * @param repositoryId whose writes wait for it
   * @param key of the intent
   * @param inQueue runs work in the repository's queue
   */
  add(
    repositoryId: string,
    key: string,
    recover: Recover,
    inQueue: (work: () => Promise<void>) => Promise<void>,
  ): void {
    const keys = this.#waiting.get(repositoryId) ?? new Map<string, { recover: Recover; tries: number }>();
    this.#waiting.set(repositoryId, keys.set(key, { recover, tries: 0 }));
    const before = this.#working ?? Promise.resolve();
    this.#working = before.then(() => this.#work(repositoryId, inQueue));
  }

  /**
   * Recovers the pending intents of a repository. Must be called in its queue, before another write.
   * @throws the database's error while it is still unavailable
   */
  async retry(repositoryId: string): Promise<void> {
    const keys = this.#waiting.get(repositoryId);
    for (const [key, waiting] of keys ?? []) {
      try {
        await waiting.recover(key);
      } catch (error) {
        if (environmentFaultOf(error) !== null) throw error;
        waiting.tries += 1;
        if (waiting.tries < MAX_TRIES) continue;
        this.#log.log('error', 'an interrupted write could not be recovered; the next start tries again', {
          error: String(error),
        });
      }
      keys?.delete(key);
    }
    if (keys?.size === 0) this.#waiting.delete(repositoryId);
  }

  /** Drops all pending intents. */
  discard(): void {
    this.#waiting.clear();
  }

  /** Stops the attempts; pending intents are recovered at the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  async #work(repositoryId: string, inQueue: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    for (let pause = FIRST_PAUSE_MS; this.#waiting.has(repositoryId); pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await inQueue(() => this.retry(repositoryId));
      } catch {
        // Not yet.
      }
    }
  }
}
