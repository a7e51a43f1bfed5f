import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { watchThread } from './thread-watch.ts';

/** A simulated thread that reports the given time; null for no report. */
const thread = (uses: () => number | null) =>
  ({
    cpuUsage: () => {
      const ms = uses();
      return ms === null ? new Promise(() => undefined) : Promise.resolve({ user: ms * 600, system: ms * 400 });
    },
  }) as unknown as Worker;

function watched(worker: Worker, limits: Parameters<typeof watchThread>[1]) {
  const reported: string[] = [];
  const end = watchThread(worker, limits, {
    onExceeded: () => reported.push('too much'),
    onStalled: () => reported.push('stalled'),
  });
  return { reported, end };
}

test('time in which others have the processor is not counted, however long it is', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let ms = 500;
  const { reported, end } = watched(
    thread(() => ms),
    { cpuMs: 100, intervalMs: 50 },
  );
  const pass = async (time: number) => {
    for (let passed = 0; passed < time; passed += 50) {
      t.mock.timers.tick(50);
      await new Promise(setImmediate);
    }
  };
  await pass(3_600_000 / 20);
  ms = 600;
  await pass(50);
  assert.deepEqual(reported, []);
  ms = 601;
  await pass(50);
  assert.deepEqual(reported, ['too much']);
  end();
  await pass(100);
  assert.deepEqual(reported, ['too much']);
});

test('a thread that does not say what it takes is stalled after a minute, and not before', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { reported, end } = watched(
    thread(() => null),
    { cpuMs: 1, intervalMs: 50 },
  );
  for (let tick = 0; tick < 1_199; tick += 1) t.mock.timers.tick(50);
  assert.deepEqual(reported, []);
  t.mock.timers.tick(50);
  assert.deepEqual(reported, ['stalled']);
  end();
});

for (const [name, work] of [
  ['loops', 'for (;;);'],
  ['is in a regular expression', "/^(a+)+$/.test('a'.repeat(60) + 'b');"],
  ['never comes to its event loop', '(async () => { for (;;) await null; })();'],
] as const) {
  test(`a thread that ${name} is measured meanwhile`, async () => {
    const worker = new Worker(work, { eval: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('exit', () => reject(new Error('it ended')));
    const end = watchThread(worker, { cpuMs: 100, intervalMs: 10 }, { onExceeded: resolve, onStalled: reject });
    try {
      await promise;
    } finally {
      end();
      await worker.terminate();
    }
  });
}

test('a thread that waits takes nothing', async () => {
  const worker = new Worker('setTimeout(() => {}, 600)', { eval: true });
  const ended = new Promise((resolve) => worker.on('exit', resolve));
  const { reported, end } = watched(worker, { cpuMs: 300, intervalMs: 10 });
  await ended;
  end();
  assert.deepEqual(reported, []);
});
