import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { jobKind, LANES, ROOT_QUOTAS } from './jobs.kinds.ts';
import { JobQueue } from './jobs.queue.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('what the projects of one root namespace wait for leaves room in the lane for those of another', async () => {
  const { db, clock, log, config } = app.deps;
  const queue = new JobQueue(db, clock, log, config.database.kind === 'postgres');
  const kind = jobKind<{ whose: string }>('test.fetch', { lane: 'mirrors' });
  const running = new Map<string, number>();
  const end = Promise.withResolvers<void>();
  queue.register(kind, async ({ whose }) => {
    running.set(whose, (running.get(whose) ?? 0) + 1);
    await end.promise;
  });
  const parent = await app.make.group();
  const child = await app.make.group({ parent });
  const projects = [
    ...(await Promise.all(Array.from({ length: 6 }, () => app.make.project({ namespace: parent })))),
    ...(await Promise.all(Array.from({ length: 6 }, () => app.make.project({ namespace: child })))),
  ];
  const other = await app.make.project({ namespace: await app.make.group() });
  for (const { id } of projects) await queue.enqueue(db, kind, { whose: 'many' }, { projectId: id });
  queue.start();
  try {
    const until = async (holds: () => boolean) => {
      while (!holds()) await sleep(10);
    };
    await until(() => running.get('many') === ROOT_QUOTAS.mirrors);
    await queue.enqueue(db, kind, { whose: 'one' }, { projectId: other.id });
    await queue.enqueue(db, kind, { whose: 'nobody' }, {});
    await until(() => running.get('one') === 1 && running.get('nobody') === 1);
    assert.equal(running.get('many'), ROOT_QUOTAS.mirrors);
    assert.ok(ROOT_QUOTAS.mirrors! * 2 < LANES.mirrors, 'two of them leave room, too');
    end.resolve();
    await until(() => running.get('many') === projects.length);
  } finally {
    end.resolve();
    await queue.stop();
  }
});
