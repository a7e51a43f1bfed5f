import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { moveMonotonicClock } from '../../test/support/monotonic-clock.ts';
import type { Db } from './db.schema.ts';
import { ServerProcesses } from './db.server-processes.ts';

let app: TestApp;
let entered: ServerProcesses[] = [];
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(() => app.deps.db.deleteFrom('server_processes').execute());
afterEach(async () => {
  for (const each of entered) await each.close();
  entered = [];
});

async function enter(db: Db = app.deps.db): Promise<ServerProcesses> {
  const { clock, log, config } = app.deps;
  const url = config.database.kind === 'postgres' ? config.database.url : null;
  const processes = await ServerProcesses.enter(db, clock, log, url);
  entered.push(processes);
  return processes;
}

/** Processes that a process has recovered. */
function recoveredBy(processes: ServerProcesses): number[] {
  const recovered: number[] = [];
  processes.onDeath(async (id) => {
    recovered.push(id);
  });
  return recovered;
}

const rows = async () =>
  (await app.deps.db.selectFrom('server_processes').select('id').orderBy('id').execute()).map(({ id }) => id);

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries === 600) assert.fail('it did not come about');
    await sleep(20);
  }
}

test('on SQLite there is one process, and no row of it', async (t) => {
  if (app.deps.config.database.kind === 'postgres') return t.skip('several serve PostgreSQL');
  const { processes } = app.deps;
  assert.equal(processes.id, 0);
  assert.deepEqual([...(await processes.disconnected([0, 3]))], [3]);
  assert.deepEqual(await rows(), []);
});

describe('on PostgreSQL a process', { skip: !process.env.STITHY_TEST_POSTGRES }, () => {
  test('whose connection is gone is dead some seconds later, and what it left is recovered once', async () => {
    const [one, other] = [await enter(), await enter()];
    const recovered = recoveredBy(one);
    await one.heartbeat(0);
    await other.close();
    await one.heartbeat(1_000);
    await one.heartbeat(4_000);
    assert.deepEqual(recovered, []);
    await one.heartbeat(5_000);
    assert.deepEqual(recovered, [other.id]);
    await one.heartbeat(60_000);
    assert.deepEqual(recovered, [other.id]);
    assert.equal((await rows()).includes(other.id), false);
  });

  test('that lives is not dead, however long it is looked at', async () => {
    const [one, other] = [await enter(), await enter()];
    const recovered = recoveredBy(one);
    for (let at = 0; at < 300_000; at += 30_000) {
      await other.heartbeat(at);
      await one.heartbeat(at);
    }
    assert.deepEqual(recovered, []);
    assert.deepEqual([...(await one.disconnected([one.id, other.id]))], []);
  });

  test('that is connected and says nothing for a minute and a half is dead', async () => {
    const [one, other] = [await enter(), await enter()];
    const recovered = recoveredBy(one);
    await one.heartbeat(0);
    await one.heartbeat(89_000);
    assert.deepEqual(recovered, []);
    await one.heartbeat(90_000);
    assert.deepEqual(recovered, [other.id]);
    // It was taken for dead but is alive: it registers again.
    await other.heartbeat(0);
    assert.ok((await rows()).includes(other.id));
  });

  test('whose connection is gone is so at once for whoever needs what it left', async () => {
    const [one, other] = [await enter(), await enter()];
    await other.close();
    await until(async () => (await one.disconnected([other.id])).has(other.id));
    assert.deepEqual([...(await one.disconnected([one.id, other.id, 999_999]))].sort(), [other.id, 999_999]);
  });

  test('that loses its connection is back within the time that it is given', async (t) => {
    const [one, other] = [await enter(), await enter()];
    const recovered = recoveredBy(one);
    await one.heartbeat(0);
    const connection = async () => {
      const query = sql<{
        pid: number;
      }>`select pid from pg_locks where locktype = 'advisory' and objid = ${sql.lit(other.id)}`;
      return (await query.execute(app.deps.db)).rows[0]?.pid;
    };
    const lost = await connection();
    await sql`select pg_terminate_backend(${lost})`.execute(app.deps.db);
    await until(async () => ![lost, undefined].includes(await connection()));
    // What was seen of connections is old now.
    moveMonotonicClock(t, 1_100);
    await until(async () => !(await one.disconnected([other.id])).has(other.id));
    await one.heartbeat(3_000);
    await one.heartbeat(8_000);
    assert.deepEqual(recovered, []);
  });

  test('knows whether it has no peers, or may have', async (t) => {
    const one = await enter();
    assert.equal(one.mayHavePeers, true);
    await one.heartbeat(0);
    assert.equal(one.mayHavePeers, false);
    const other = await enter();
    await until(async () => one.mayHavePeers);
    await one.heartbeat(1_000);
    await other.close();
    await one.heartbeat(2_000);
    assert.equal(one.mayHavePeers, true);
    // Its leftovers have been recovered.
    await one.heartbeat(7_000);
    await one.heartbeat(8_000);
    assert.equal(one.mayHavePeers, false);
    await sql`select pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory' and l.objid = ${sql.lit(one.id)}`.execute(
      app.deps.db,
    );
    await until(async () => one.mayHavePeers);
    await until(async () => {
      await one.heartbeat(9_000);
      return !one.mayHavePeers;
    });
    // A missing heartbeat means nothing for a long time.
    moveMonotonicClock(t, 3_100);
    assert.equal(one.mayHavePeers, true);
  });

  test('is recovered later where that fails, and by others', async () => {
    const [one, two, other] = [await enter(), await enter(), await enter()];
    let failures = 0;
    one.onDeath(async () => {
      failures += 1;
      throw new Error('not yet');
    });
    const recovered = recoveredBy(one);
    const byTwo = recoveredBy(two);
    await one.heartbeat(0);
    await two.heartbeat(0);
    await other.close();
    for (const at of [1_000, 6_000, 6_500, 9_000]) await one.heartbeat(at);
    assert.deepEqual([failures, recovered], [2, [other.id, other.id]]);
    assert.ok((await rows()).includes(other.id));
    await two.heartbeat(1_000);
    await two.heartbeat(6_000);
    assert.deepEqual(byTwo, [other.id]);
    await one.heartbeat(90_000);
    assert.equal(failures, 2);
  });

  test('tells the others, and hears what was told while it was not connected', async () => {
    const [one, other] = [await enter(), await enter()];
    let notifications = 0;
    await one.listen('test_channel', () => {
      notifications += 1;
    });
    notifications = 0;
    const { db } = app.deps;
    await db.transaction().execute(async (db) => {
      await other.notify(db, 'test_channel');
      await sleep(100);
      assert.equal(notifications, 0);
    });
    await until(async () => notifications === 1);
    await sql`select pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory' and l.objid = ${sql.lit(one.id)}`.execute(
      db,
    );
    await until(async () => notifications === 2);
    await other.notify(db, 'test_channel');
    await until(async () => notifications === 3);
  });
  test('goes on where the database is away while it forgets a dead one', async () => {
    let away = true;
    const db = new Proxy(app.deps.db, {
      get(target, name) {
        if (name === 'deleteFrom' && away) throw new Error('the database is away');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const [one, other] = [await enter(db), await enter()];
    const recovered = recoveredBy(one);
    await one.heartbeat(0);
    await other.close();
    await one.heartbeat(1_000);
    await one.heartbeat(5_000);
    assert.ok((await rows()).includes(other.id));
    away = false;
    await one.heartbeat(9_000);
    assert.deepEqual(recovered, [other.id, other.id]);
    assert.equal((await rows()).includes(other.id), false);
  });

  test('says that it lives while it recovers what a dead one has left', async () => {
    const [one, other] = [await enter(), await enter()];
    const under = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<void>();
    one.onDeath(async () => {
      under.resolve();
      await ends.promise;
    });
    await other.close();
    one.start();
    await under.promise;
    const beatOf = async () => {
      const row = await app.deps.db
        .selectFrom('server_processes')
        .select('beat')
        .where('id', '=', one.id)
        .executeTakeFirstOrThrow();
      return row.beat;
    };
    const before = await beatOf();
    try {
      await until(async () => (await beatOf()) > before);
    } finally {
      ends.resolve();
    }
  });
});
