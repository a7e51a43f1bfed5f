import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../../../test/support/git-fixture.ts';
import { runGit } from './git.process.ts';
import { runLowPriority } from './low-priority.ts';
import { lowerPriority, NICE } from './priority.ts';

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

test('the session of a child keeps its share: on a machine that shares processors out by session nothing waits behind others', {
  skip: !existsSync('/proc/self/autogroup'),
}, async (t) => {
  const { child, pid } = await childOf(t);
  for (const nice of Object.values(NICE)) {
    lowerPriority(child, nice);
    await wait(300);
    assert.match(readFileSync(`/proc/${pid}/autogroup`, 'latin1'), /nice 0$/m);
  }
});

test('what somebody waits for is hardly lowered, and before what nobody does', () => {
  assert.ok(NICE.transport <= 5);
  assert.ok(NICE.transport < NICE.background);
});

test('what answers somebody is as this process is, what nobody waits for goes behind it', async (t) => {
  const folder = temporaryFolder(t);
  const alias = (command: string) => ['-c', `alias.told=!${command}`, 'told'];
  const { stdout } = await runGit(alias('nice'));
  assert.equal(stdout.toString().trim(), String(getPriority()));
  // It is lowered once it runs: its shell waits for that.
  const own = 'ps -o ni= -p $PPID | tr -d " "';
  const lowered = `for i in $(seq 500); do n=$(${own}); test "$n" = ${NICE.background} && break; sleep 0.02; done`;
  await runLowPriority(folder, alias(`${lowered}; echo $n > ${folder}/nice`));
  assert.equal(readFileSync(`${folder}/nice`, 'latin1').trim(), String(NICE.background));
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
