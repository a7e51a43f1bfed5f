import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { jobKind, LANES } from './jobs.kinds.ts';
import { JobQueue } from './jobs.queue.ts';

let app: TestApp;
const queues: JobQueue[] = [];
let asked: string[] = [];
before(async () => {
  app = await buildTestApp({ onQuery: ({ sql }) => asked.push(sql) });
});
beforeEach(() => app.deps.db.deleteFrom('jobs').execute());
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.stop()));
});
after(() => app.close());

/** Workers of another process on the same data. */
function anotherQueue(): JobQueue {
  const { db, clock, log, config } = app.deps;
  const queue = new JobQueue(db, clock, log, config.database.kind === 'postgres');
  queues.push(queue);
  return queue;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

const left = async () => (await app.deps.db.selectFrom('jobs').select('id').execute()).length;

test('what fills one lane holds up no other', async () => {
  const queue = anotherQueue();
  const stuck = jobKind<object>('test.stuck', { lane: 'slow' });
  const quick = jobKind<object>('test.quick', { lane: 'events' });
  const done = Promise.withResolvers<void>();
  let running = 0;
  queue.register(stuck, async () => {
    running += 1;
    await done.promise;
  });
  let ran = 0;
  queue.register(quick, async () => {
    ran += 1;
  });
  for (let n = 0; n < 20; n += 1) await queue.enqueue(app.deps.db, stuck, {});
  queue.start();
  await until(() => running === LANES.slow);
  for (let n = 0; n < 20; n += 1) await queue.enqueue(app.deps.db, quick, {});
  await until(() => ran === 20);
  assert.equal(running, LANES.slow);
  done.resolve();
  await until(async () => (await left()) === 0);
  assert.equal(running, 20);
});

test('workers are woken by the commit that writes a job, not before it', async () => {
  const queue = anotherQueue();
  const kind = jobKind<object>('test.woken', { lane: 'events' });
  const ran = Promise.withResolvers<void>();
  queue.register(kind, async () => ran.resolve());
  queue.start();
  await app.deps.db.transaction().execute(async (db) => queue.enqueue(db, kind, {}));
  await ran.promise;
});

test('a lane looks once for what it was woken for, and not again when that has ended', async () => {
  const queue = anotherQueue();
  const kind = jobKind<object>('test.once', { lane: 'git' });
  let ran = 0;
  queue.register(kind, async () => {
    ran += 1;
  });
  queue.start();
  const looks = () => asked.filter((sql) => /^select "id" from "jobs" where "lane" = /.test(sql)).length;
  await until(() => looks() > 0);
  const turns = 5;
  asked = [];
  for (let n = 1; n <= turns; n += 1) {
    await queue.enqueue(app.deps.db, kind, {});
    await until(async () => ran === n && (await left()) === 0);
  }
  // It polls every two seconds without being woken.
  assert.ok(looks() >= turns && looks() <= turns + 2, `${looks()} looks`);
});

test('each job runs in one of several processes, and those of one key in order', async () => {
  const kind = jobKind<{ n: number }>('test.shared', { lane: 'outgoing' });
  const seen: number[] = [];
  const now = new Set<string>();
  const pair = [anotherQueue(), anotherQueue()];
  for (const queue of pair) {
    queue.register(kind, async ({ n }) => {
      const key = `key ${n % 5}`;
      assert.ok(!now.has(key), `two jobs of ${key} run at once`);
      now.add(key);
      await sleep(n % 3);
      seen.push(n);
      now.delete(key);
    });
  }
  for (let n = 0; n < 100; n += 1) await pair[0]!.enqueue(app.deps.db, kind, { n }, { orderKey: `key ${n % 5}` });
  for (const queue of pair) queue.start();
  await until(async () => (await left()) === 0);
  assert.equal(seen.length, 100);
  for (let key = 0; key < 5; key += 1) {
    const ofKey = seen.filter((n) => n % 5 === key);
    assert.deepEqual(
      ofKey,
      [...ofKey].sort((a, b) => a - b),
    );
  }
});

test('a run that does not end in time is told so, then left, and tried again until it is given up', async () => {
  const queue = anotherQueue();
  const kind = jobKind<object>('test.hangs', { lane: 'slow', timeoutMs: 20, maxAttempts: 1 });
  const aborted = Promise.withResolvers<void>();
  queue.register(kind, async (_payload, { signal }) => {
    signal.addEventListener('abort', () => aborted.resolve());
    await new Promise(() => {});
  });
  await queue.enqueue(app.deps.db, kind, {});
  queue.start();
  await aborted.promise;
  const job = () => app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', kind.name).executeTakeFirst();
  await until(async () => (await job())?.state === 'dead');
  assert.match((await job())!.last_error!, /longer than 0.02 seconds/);
  assert.equal(queue.counts().get('slow')?.dead, 1);
});

test('a project that asks for much does not keep others from their turn', async () => {
  const queue = anotherQueue();
  const kind = jobKind<{ project: number }>('test.turns', { lane: 'slow' });
  const seen: number[] = [];
  queue.register(kind, async ({ project }) => {
    seen.push(project);
  });
  for (let n = 0; n < 200; n += 1) await queue.enqueue(app.deps.db, kind, { project: 1 }, { projectId: 1 });
  await queue.enqueue(app.deps.db, kind, { project: 2 }, { projectId: 2 });
  queue.start();
  await until(async () => (await left()) === 0);
  assert.equal(seen.length, 201);
  assert.ok(seen.indexOf(2) < 150, `it came as number ${seen.indexOf(2)}`);
});

test('stopping lets what runs end, and puts back what has to be cut off', async () => {
  const queue = anotherQueue();
  const ends = jobKind<object>('test.ends', { lane: 'events' });
  const goes = jobKind<object>('test.goes', { lane: 'git' });
  const finish = Promise.withResolvers<void>();
  const began = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  queue.register(ends, async () => {
    began[0]!.resolve();
    await finish.promise;
  });
  queue.register(goes, async (_payload, { signal }) => {
    began[1]!.resolve();
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await queue.enqueue(app.deps.db, ends, {});
  await queue.enqueue(app.deps.db, goes, {});
  queue.start();
  await Promise.all(began.map(({ promise }) => promise));
  const deadline = new AbortController();
  const stopped = queue.stop(deadline.signal);
  finish.resolve();
  await until(async () => (await left()) === 1);
  deadline.abort();
  await stopped;
  const rest = await app.deps.db.selectFrom('jobs').selectAll().execute();
  assert.deepEqual(
    rest.map(({ kind, state, attempts }) => [kind, state, attempts]),
    [['test.goes', 'waiting', 0]],
  );
});

test('recurring work has one row and runs in one process at a time', async () => {
  const kind = jobKind<Record<string, never>>('test.recurs', { lane: 'slow' });
  let [running, runs] = [0, 0];
  const start = () => {
    const queue = anotherQueue();
    queue.every(kind, { everyMs: 50 }, async () => {
      running += 1;
      assert.equal(running, 1);
      await sleep(30);
      runs += 1;
      running -= 1;
    });
    queue.start();
  };
  start();
  start();
  await until(() => runs >= 3);
  const rows = await app.deps.db.selectFrom('jobs').select('recurring').where('kind', '=', kind.name).execute();
  assert.deepEqual(
    rows.map(({ recurring }) => recurring),
    [1],
  );
});

test('jobs that were taken just when the connection went run as soon as it is back', async () => {
  const { db, clock, log, config } = app.deps;
  let lost = 0;
  // The transaction commits, and its response is lost.
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) => {
      const taken = await db.transaction().execute(work);
      if (Array.isArray(taken) && taken.length > 0 && lost === 0) {
        lost += 1;
        throw new Error('Connection terminated unexpectedly');
      }
      return taken;
    },
  });
  const losing = new Proxy(db, {
    get: (target, name) => {
      if (name === 'transaction' || name === 'unsynced') return transaction;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const queue = new JobQueue(losing, clock, log, config.database.kind === 'postgres');
  queues.push(queue);
  const kind = jobKind<object>('test.lost', { lane: 'events' });
  let ran = 0;
  queue.register(kind, async () => {
    ran += 1;
  });
  await queue.enqueue(db, kind, {});
  queue.start();
  await until(async () => (await left()) === 0);
  assert.deepEqual([lost, ran], [1, 1]);
});

test('that a job has ended waits for the disk where others elsewhere may have seen it', async () => {
  const { db, clock, log, config } = app.deps;
  for (const [lane, ends] of [
    ['events', 'unsynced'],
    ['mail', 'transaction'],
    ['hooks', 'transaction'],
    ['transfers', 'transaction'],
  ] as const) {
    const begun: string[] = [];
    const watched = new Proxy(db, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'transaction' || name === 'unsynced') begun.push(name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const queue = new JobQueue(watched, clock, log, config.database.kind === 'postgres');
    const kind = jobKind<object>(`test.ends-${lane}`, { lane });
    queue.register(kind, async () => {});
    await queue.enqueue(db, kind, {});
    queue.start();
    await until(async () => (await left()) === 0);
    await queue.stop();
    assert.deepEqual(begun, ['unsynced', ends], lane);
  }
});
