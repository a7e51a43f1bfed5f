import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 600;
const PAUSE_MS = 100;

/** Waits for something that comes true. @throws AssertionError with `what` when it does not within a minute */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await holds()) return;
    await sleep(PAUSE_MS);
  }
  assert.fail(`it did not come about: ${what}`);
}

/** Status of the readiness probe. */
export const readiness = async (url: string): Promise<number> => (await fetch(`${url}/-/readiness`)).status;
