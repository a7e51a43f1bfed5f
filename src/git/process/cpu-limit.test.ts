import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn } from '../../../test/crash/processes.ts';
import { gitFixture } from '../../../test/support/git-fixture.ts';
import { GitError } from '../common/index.ts';
import { CLOCK_FACTOR, limitCpu } from './cpu-limit.ts';
import { killedError, runGit, spawnGit } from './git.process.ts';

/** Arguments of a git that runs a script, in the process group of git. */
const script = (text: string) => ['-c', `alias.run=!${text}`, 'run'];
const LOOP = 'while :; do :; done';

test('a child that waits for longer than it may work is not ended', async () => {
  const { stdout } = await runGit(script('sleep 1; echo done'), { cpuMs: 200 });
  assert.equal(String(stdout), 'done\n');
});

test('a child that gets no processor is not ended', async () => {
  const git = await spawnGit(script('echo on; read line; echo done'), { cpuMs: 200 });
  const printed: string[] = [];
  git.stdout.on('data', (chunk) => printed.push(String(chunk)));
  while (printed.length === 0) await sleep(10);
  process.kill(-git.child.pid!, 'SIGSTOP');
  git.stdin.end('go\n');
  // Five times what it may work: only time can show that it does not count.
  await sleep(1_000);
  process.kill(-git.child.pid!, 'SIGCONT');
  assert.deepEqual(await git.done, { code: 0, stderr: '', killed: null });
  assert.equal(printed.join(''), 'on\ndone\n');
});

for (const [name, text] of [
  ['works', LOOP],
  ['has a child work', `(${LOOP}) & wait`],
  ['has many short children work', `while :; do /bin/sh -c 'i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done'; done`],
] as const) {
  test(`a child that ${name} for longer than it may is ended for good`, async () => {
    await assert.rejects(runGit(script(text), { cpuMs: 200 }), (error) => {
      assert.ok(error instanceof GitError);
      assert.deepEqual([error.code, error.permanent, error.retryAfterMs], ['timeout', true, undefined]);
      return true;
    });
  });
}

test('a child that hangs is ended by the clock, and may be asked again', async () => {
  await assert.rejects(runGit(script('sleep 600'), { cpuMs: 20 }), (error) => {
    assert.ok(error instanceof GitError);
    assert.deepEqual([error.code, error.permanent, error.retryAfterMs], ['busy', false, 1_000]);
    return true;
  });
});

test('what waits for others is ended by the clock alone', async () => {
  const git = await spawnGit(script('sleep 600'), { timeoutMs: 200 });
  git.stdout.resume();
  assert.equal((await git.done).killed, 'timeout');
});

test('only a child that was ended for its work would be so again', () => {
  const codes = (['work', 'timeout', 'stall', 'abort'] as const).map((killed) => killedError(killed, 'git').code);
  assert.deepEqual(codes, ['timeout', 'busy', 'aborted', 'aborted']);
});

/** A child with some of a processor, watched for as long as it goes on. */
async function watched(share: number, limits: { cpuMs: number; timeoutMs: number; isLongRunning?: boolean }) {
  const begun = performance.now();
  let looks = 0;
  const reason = await new Promise<string>((resolve) => {
    limitCpu(
      () => 7,
      limits,
      resolve,
      async () => {
        looks += 1;
        return 10_000 + share * (performance.now() - begun);
      },
    );
  });
  return { reason, looks, lasted: performance.now() - begun };
}

test('a sixth of a processor is six times as long', async () => {
  const { reason, lasted } = await watched(1 / 6, { cpuMs: 100, timeoutMs: 100 * CLOCK_FACTOR, isLongRunning: true });
  assert.equal(reason, 'work');
  assert.ok(lasted >= 600, String(lasted));
});

test('what a warm process did before is not counted', async () => {
  const { reason } = await watched(0, { cpuMs: 100, timeoutMs: 400, isLongRunning: true });
  assert.equal(reason, 'timeout');
  assert.equal((await watched(0, { cpuMs: 100, timeoutMs: 400 })).reason, 'work');
});

test('a warm process that gets no processor is asked on, one that works for too long is ended', async (t) => {
  const { repo, commit } = gitFixture(t);
  const text = (from: number) => Array.from({ length: 150_000 }, (_, line) => `${(line * from) % 997} x\n`).join('');
  const first = commit({ 'a.txt': text(7) });
  const small = commit({ 'a.txt': text(7), 'b.txt': 'x\n' }, [first]);
  const large = commit({ 'a.txt': text(13) }, [first]);
  const ask = async (oid: string, cpuMs: number) => {
    const lines: string[] = [];
    await repo.diffs.ask({
      lines: [`${oid} ${first}`],
      onLine: (bytes, start, end) => lines.push(bytes.toString('latin1', start, end)),
      maxRecord: 1_000,
      cpuMs,
    });
    return lines;
  };
  const answer = await ask(small, 20_000);
  assert.ok(answer.some((line) => line.includes('b.txt')));
  const { pid } = processesIn(repo.dir).find(({ command }) => command.includes('diff-tree'))!;
  process.kill(pid, 'SIGSTOP');
  const waiting = ask(small, 300);
  // As above.
  await sleep(1_500);
  process.kill(pid, 'SIGCONT');
  assert.deepEqual(await waiting, answer);
  await assert.rejects(ask(large, 100), { code: 'timeout' });
});
