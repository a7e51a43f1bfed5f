import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { lowerPriority } from './priority.ts';

/** A child in a session of its own that has said something, so that its program runs. */
async function childOf(t: TestContext) {
  const child = spawn('/bin/sh', ['-c', 'echo on; exec sleep 600'], { detached: true });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { child, pid: child.pid! };
}

test('a child is niced, and this process is not', async (t) => {
  const own = getPriority();
  const { child, pid } = await childOf(t);
  lowerPriority(child, 12);
  assert.equal(getPriority(pid), 12);
  assert.equal(getPriority(), own);
});

test('where processors are shared by session that of the child is niced', {
  skip: !existsSync('/proc/self/autogroup'),
}, async (t) => {
  const all = await Promise.all(Array.from({ length: 3 }, () => childOf(t)));
  for (const { child } of all) lowerPriority(child, 12);
  for (const { pid } of all) {
    const nice = () => readFileSync(`/proc/${pid}/autogroup`, 'latin1').trim().split(' ').at(-1);
    while (nice() !== '12') await wait(20);
  }
  assert.doesNotMatch(readFileSync('/proc/self/autogroup', 'latin1'), /nice 12/);
});

test('a child that has ended, or never ran, changes nothing', async (t) => {
  const own = getPriority();
  const { child, pid } = await childOf(t);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lowerPriority(child, 12);
  for (const gone of [undefined, 0]) lowerPriority(Object.assign(Object.create(child), { pid: gone }), 12);
  assert.equal(getPriority(), own);
  assert.throws(() => getPriority(pid));
});
