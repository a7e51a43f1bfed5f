import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { GitError } from './git.errors.ts';
import { KeyedQueue } from './git.queue.ts';

test('functions of one key run one at a time in order, of different keys side by side', async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const job = (key: string, name: string) =>
    queue.run(key, async () => {
      log.push(`+${name}`);
      await turn();
      log.push(`-${name}`);
      return name;
    });
  assert.deepEqual(await Promise.all([job('x', 'a'), job('x', 'b'), job('y', 'c')]), ['a', 'b', 'c']);
  assert.deepEqual(
    log.filter((entry) => !entry.endsWith('c')),
    ['+a', '-a', '+b', '-b'],
  );
  assert.ok(log.indexOf('+c') < log.indexOf('-a'));
  assert.equal(queue.size, 0);
});

test('a function that throws lets the next one run', async () => {
  const queue = new KeyedQueue();
  const failing = queue.run('x', () => {
    throw new Error('broken');
  });
  const next = queue.run('x', () => 'fine');
  await assert.rejects(failing, /broken/);
  assert.equal(await next, 'fine');
});

test('past the bound a function is refused as busy', async () => {
  const queue = new KeyedQueue({ maxWaiting: 1 });
  let release = () => {};
  const first = queue.run('x', () => new Promise<void>((resolve) => (release = resolve)));
  const second = queue.run('x', () => {});
  await assert.rejects(
    queue.run('x', () => {}),
    (error) => error instanceof GitError && error.code === 'busy',
  );
  await queue.run('y', () => {});
  release();
  await Promise.all([first, second]);
});
