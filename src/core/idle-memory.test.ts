import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { BoundedCache } from './cache/index.ts';
import { IdleMemory, releaseWhenIdle } from './idle-memory.ts';

const MiB = 1024 * 1024;

type Times = { active: number; idle: number };

/** Checks every five seconds a process with simulated activity. */
function simulated(t: TestContext) {
  const done: string[] = [];
  let active = 0;
  let idle = 0;
  const system = { resident: 150 * MiB, left: 150 * MiB };
  const memory = new IdleMemory({
    utilization: (current?: Times, last?: Times) => {
      const [busy, rest] =
        last === undefined ? [active, idle] : [current!.active - last.active, current!.idle - last.idle];
      return { active: busy, idle: rest, utilization: busy + rest === 0 ? 0 : busy / (busy + rest) };
    },
    resident: () => system.resident,
    releaseAll: () => done.push('release'),
    collectGarbage: () => done.push('collect'),
    trimHeap: () => {
      done.push('trim');
      system.resident = system.left;
    },
  });
  t.after(() => memory.stop());
  /** @returns actions at these checks, one for each share of activity */
  const look = async (...shares: number[]) => {
    done.length = 0;
    for (const share of shares) {
      active += 5_000 * share;
      idle += 5_000 * (1 - share);
      await memory.check();
    }
    return [...done];
  };
  return { look, system };
}

const EVERYTHING = ['release', 'collect', 'trim'];
const times = (count: number, share: number) => Array.from({ length: count }, () => share);

test('memory is released once nothing has gone on for a while', async (t) => {
  const { look } = simulated(t);
  assert.deepEqual(await look(0.9, ...times(11, 0.01)), []);
  // One busy period starts it again.
  assert.deepEqual(await look(0.03, ...times(11, 0.01)), []);
  assert.deepEqual(await look(0.01), EVERYTHING);
});

test('what is asked for now and then does not have it released again and again', async (t) => {
  const { look, system } = simulated(t);
  system.resident = 200 * MiB;
  assert.deepEqual(await look(...times(12, 0)), EVERYTHING);
  assert.deepEqual(await look(...times(100, 0.01)), []);
  system.resident += 15 * MiB;
  assert.deepEqual(await look(...times(100, 0.01)), []);
  system.resident += 1 * MiB;
  assert.deepEqual(await look(0.01), EVERYTHING);
  system.resident = 200 * MiB;
  assert.deepEqual(await look(0.5, ...times(11, 0)), []);
  assert.deepEqual(await look(0), EVERYTHING);
});

test('where a busy process holds much, its free pages are given back, and all is released once it is idle', async (t) => {
  const { look, system } = simulated(t);
  system.resident = 250 * MiB;
  system.left = 300 * MiB;
  assert.deepEqual(await look(1, 1), []);
  system.resident = 400 * MiB;
  assert.deepEqual(await look(1), ['trim']);
  system.resident = 307 * MiB;
  assert.deepEqual(await look(1, 1), []);
  system.resident = 308 * MiB;
  assert.deepEqual(await look(1), ['trim']);
  // What was collected meanwhile may come back, too.
  system.resident = 270 * MiB;
  assert.deepEqual(await look(1), []);
  system.resident = 290 * MiB;
  assert.deepEqual(await look(1), ['trim']);
  assert.deepEqual(await look(...times(12, 0)), EVERYTHING);
});

test('an idle process gives up caches and collects what they held', async (t) => {
  const [cache, dear] = [
    new BoundedCache<string, Buffer>({ bytes: 10 * MiB }, ({ length }) => length),
    new BoundedCache<string, Buffer>({ bytes: 10 * MiB, isCostly: true }, ({ length }) => length),
  ];
  const held = new WeakRef(Buffer.alloc(MiB));
  cache.set('a', held.deref()!);
  dear.set('a', Buffer.alloc(10));
  t.after(() => dear.delete('a'));
  let released = 0;
  const takeBack = releaseWhenIdle(() => {
    released += 1;
  });
  // Values made in this turn are in use.
  await new Promise((resolve) => setTimeout(resolve, 1));
  let resident = 100 * MiB;
  const idle = () => ({ active: 0, idle: 1, utilization: 0 });
  const memory = new IdleMemory({ utilization: idle, resident: () => resident });
  t.after(() => memory.stop());
  for (let looks = 0; looks < 11; looks += 1) await memory.check();
  assert.deepEqual([cache.size, released], [1, 0]);
  await memory.check();
  assert.deepEqual([cache.size, cache.bytes, dear.size, released], [0, 0, 1, 1]);
  assert.equal(held.deref(), undefined);
  cache.set('a', Buffer.alloc(10));
  assert.equal(cache.get('a')?.length, 10);
  takeBack();
  resident += 100 * MiB;
  await memory.check();
  assert.deepEqual([cache.size, released], [0, 1]);
});

test('it says nothing, and does not keep the process', () => {
  const program = `
    const { IdleMemory } = await import(${JSON.stringify(new URL('./idle-memory.ts', import.meta.url).href)});
    const { collectGarbage, trimHeap } = await import(${JSON.stringify(new URL('./heap-release.ts', import.meta.url).href)});
    new IdleMemory();
    for (let n = 0; n < 2; n += 1) [collectGarbage(), trimHeap()];
    await new Promise((resolve) => setTimeout(resolve, 10));
    console.log('done', typeof gc);
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.deepEqual([status, stdout, stderr], [0, 'done undefined\n', '']);
});
