import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { emptyDatabase, type TestDatabase } from '../../test/support/databases.ts';
import type { Config } from '../config/config.ts';
import { StartupError } from '../core/startup-error.ts';
import { openDatabase } from './database.ts';
import { claimData, otherServers } from './db.claim.ts';

let folder: string;
let database: TestDatabase;
let config: Config['database'];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-claim-'));
  database = await emptyDatabase();
  config =
    database.url === null
      ? { kind: 'sqlite', path: join(folder, 'stithy.db'), durable: false }
      : { kind: 'postgres', url: database.url };
});
afterEach(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('the first is alone; a later one is refused by SQLite and told by PostgreSQL, until the first is gone', async () => {
  const first = await claimData(config);
  assert.equal(first.alone, true);
  await first.share();
  if (config.kind === 'sqlite') {
    await assert.rejects(claimData(config), StartupError);
  } else {
    const second = await claimData(config);
    assert.equal(second.alone, false);
    await second.release();
  }
  await first.release();
  const next = await claimData(config);
  assert.equal(next.alone, true);
  await next.release();
});

test('a second server waits until the first has settled what it found', async (t) => {
  if (config.kind === 'sqlite') return t.skip('SQLite has one server');
  const first = await claimData(config);
  let settled = false;
  const second = claimData(config).then((claim) => {
    assert.equal(settled, true);
    return claim;
  });
  const { db, close } = await openDatabase(config);
  await until(async () => {
    const { rows } = await sql`
      select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return rows.length > 0;
  });
  settled = true;
  await first.share();
  await (await second).release();
  await first.release();
  await close();
});

test('other servers are known by their claims', async () => {
  if (config.kind === 'sqlite') return;
  const { db, close } = await openDatabase(config);
  const first = await claimData(config);
  await first.share();
  assert.equal(await otherServers(db), false);
  const second = await claimData(config);
  assert.equal(await otherServers(db), true);
  await second.release();
  await until(async () => !(await otherServers(db)));
  await first.release();
  await close();
});

/** The server notices an ended connection a moment later. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries === 600) assert.fail('it did not come about');
    await sleep(50);
  }
}
