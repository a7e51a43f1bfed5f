import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Busy } from '../core/busy.ts';
import { WriteMutex } from './write-mutex.ts';

test('a writer whose turn does not come is told that it may be asked again, and holds up nobody', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const mutex = new WriteMutex();
  await mutex.lock();
  const late = mutex.lock();
  t.mock.timers.tick(30_000);
  await assert.rejects(late, (error) => {
    assert.ok(error instanceof Busy);
    assert.deepEqual([error.status, error.retryAfterMs], [503, 2_000]);
    return true;
  });
  const next = mutex.lock();
  mutex.unlock();
  await next;
  mutex.unlock();
  await mutex.lock();
});
