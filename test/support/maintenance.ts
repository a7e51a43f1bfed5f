import assert from 'node:assert/strict';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { enqueueSweep } from '../../src/repositories/repository.background.ts';
import type { TestApp, TestClock } from './app.ts';

/** Asserts that a repository which was written just now gets its upkeep, and that sweeping removes locks that were left there. */
export async function reachedByMaintenance(app: TestApp, clock: TestClock, dir: string): Promise<void> {
  rmSync(join(dir, 'objects/info/commit-graphs'), { recursive: true, force: true });
  clock.advance(60_000);
  await app.drain();
  assert.equal(existsSync(join(dir, 'objects/info/commit-graphs')), true);
  const lock = join(dir, 'refs/heads/main.lock');
  writeFileSync(lock, '');
  utimesSync(lock, new Date(0), new Date(0));
  await enqueueSweep(app.deps);
  await app.drain();
  assert.equal(existsSync(lock), false);
}
