import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type FileResult, Pool } from './pool.ts';

const folder = mkdtempSync(join(tmpdir(), 'stithy-pool-'));
const stopped = new AbortController();
const limits = { fileMs: 20_000, patienceMs: 100, heap: 200_000_000 };
const pool = new Pool(folder, 1, stopped.signal, limits);
after(() => {
  stopped.abort();
  rmSync(folder, { recursive: true });
});

const TEST = `import { after, before, describe, test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';\n`;

/** Runs files with these texts, one after the other. */
function run(...texts: readonly string[]): Promise<FileResult[]> {
  const tasks = texts.map((text, n) => {
    const file = join(folder, `${n}.test.mjs`);
    writeFileSync(file, TEST + text);
    return { file, env: { GIVEN: String(n) } };
  });
  return pool.run(tasks);
}

const counts = ({ passed, skipped, failures }: FileResult) => [passed, skipped, failures.length];
const onlyFailure = ({ failures }: FileResult) => {
  assert.equal(failures.length, 1, JSON.stringify(failures));
  return failures[0]!;
};

test('counts tests, also those within tests, and not their suites', async () => {
  const [first, second] = await run(
    `test('a', (t) => t.test('b', () => {})); describe('c', () => { test('d', () => {}); test.skip('e', () => {}); });`,
    `test('a', () => {});`,
  );
  assert.deepEqual(counts(first!), [3, 1, 0]);
  assert.deepEqual(counts(second!), [1, 0, 0]);
});

test('hooks, environment and processes belong to one file, and one process serves many', async () => {
  const pids: number[] = [];
  const say = 'throw new Error(JSON.stringify([process.pid, process.env.GIVEN, process.env.MINE, globalThis.hooks]));';
  const text = `
    globalThis.hooks = [];
    before(() => globalThis.hooks.push('before')); after(() => globalThis.hooks.push('after'));
    test('a', () => { const { MINE } = process.env; process.env.MINE = 'x'; process.env.MINE = MINE ?? 'unset'; ${say} });`;
  for (const result of await run(text, text)) {
    const [pid, environmentValue, mine, hooks] = JSON.parse(/\[.*\]/.exec(onlyFailure(result).text)![0]) as unknown[];
    pids.push(Number(pid));
    assert.equal(environmentValue, String(pids.length - 1));
    assert.equal(mine, 'unset');
    assert.deepEqual(hooks, ['before']);
  }
  assert.equal(pids[0], pids[1]);
});

test('a process that holds too much is replaced before the next file', async () => {
  const say = 'throw new Error(String(process.pid));';
  const grow = 'globalThis.held = Array.from({ length: 3e6 }, (_, n) => ({ n, text: [n] }));';
  const results = await run(
    `test('a', () => { ${grow} ${say} });`,
    `test('a', () => { ${say} });`,
    `test('a', () => { ${say} });`,
  );
  const [large, next, last] = results.map((result) => /Error: (\d+)/.exec(onlyFailure(result).text)![1]);
  assert.notEqual(large, next);
  assert.equal(next, last);
});

test('names what fails with its line and what it threw', async () => {
  const [result] = await run(`\ntest('fails', () => { throw new TypeError('not so'); });`);
  const { name, line, text } = onlyFailure(result!);
  assert.deepEqual([name, line], ['fails', 4]);
  assert.match(text, /TypeError: not so/);
});

test('a file that cannot be loaded, or whose hook fails, fails itself', async () => {
  for (const [text, message] of [
    [`import 'no-such-package';`, /no-such-package/],
    [`before(() => { throw new Error('no hook'); }); test('a', () => {});`, /no hook/],
  ] as const) {
    const [result] = await run(text);
    assert.ok(result!.failures.some((failure) => failure.name === 'the file itself' && message.test(failure.text)));
  }
});

test('a file without a test fails', async () => {
  const [result] = await run('');
  assert.equal(onlyFailure(result!).text, 'It holds no test.');
});

test('an error that comes after its test has ended fails the file, and not the next one', async () => {
  const [late, next] = await run(
    `test('ends at once', () => { setTimeout(() => { throw new Error('too late'); }, 20); });`,
    `test('a', () => {});`,
  );
  assert.match(onlyFailure(late!).text, /too late/);
  assert.deepEqual(counts(next!), [1, 0, 0]);
});

test('what a file leaves open is named', async () => {
  const [result] = await run(
    `import { createServer } from 'node:net'; test('a', () => { createServer().listen(0); });`,
  );
  assert.match(onlyFailure(result!).text, /It left open: 1 TCPServerWrap \(0 before\)/);
});

test('timers that a file leaves are named with where they were set, and no others', async () => {
  const [first, second] = await run(
    `import { setInterval as every } from 'node:timers';
    import { promisify } from 'node:util';
    const leave = () => setTimeout(() => {}, 1e6);
    const wait = () => later(1e6);
    test('a', async () => {
      for (let n = 0; n < 2; n += 1) leave();
      wait();
      every(() => {}, 1e6).unref();
      clearTimeout(setTimeout(() => {}, 1e6));
      later(1e6, null, { ref: false });
      await later(1);
      await promisify(setTimeout)(1);
    });`,
    `test('b', () => { globalThis.mine = setInterval(() => {}, 1e6); });`,
  );
  const { text } = onlyFailure(first!);
  assert.match(
    text,
    /It left open: 3 Timeout \(0 before\)\n2 set\n +at leave .*0\.test\.mjs[\s\S]*\n1 set\n +at wait .*0\.test\.mjs/,
  );
  assert.equal(text.match(/ set\n/g)?.length, 2, text);
  assert.match(onlyFailure(second!).text, /It left open: 4 Timeout \(3 before\)[\s\S]*1\.test\.mjs/);
});

test('a file that ends its process is named with what it printed, and the next one runs', async () => {
  const [ended, next] = await run(
    `test('goes', async () => { await later(300); process._rawDebug('farewell'); process.kill(process.pid, 'SIGKILL'); });`,
    `test('a', () => {});`,
  );
  assert.match(onlyFailure(ended!).text, /The process ended in the test "goes": SIGKILL\.\s+It printed:\s+farewell/);
  assert.deepEqual(counts(next!), [1, 0, 0]);
});

test('a file that hangs is ended and named with the test it was in', async () => {
  const hurried = new Pool(folder, 1, stopped.signal, { ...limits, fileMs: 3_000 });
  const file = join(folder, 'hangs.test.mjs');
  writeFileSync(file, `${TEST}test('passes', () => {}); test('hangs', () => later(1e6));`);
  const [result] = await hurried.run([{ file, env: {} }]);
  assert.match(onlyFailure(result!).text, /The process ended in the test "hangs": SIGKILL\.[\s\S]*ended after 3 s/);
  assert.equal(result!.passed, 1);
});
