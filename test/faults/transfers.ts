import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { loadConfig } from '../../src/config/config.ts';
import { openExisting } from '../../src/db/database.ts';
import type { Db } from '../../src/db/db.schema.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { ROOT_TOKEN } from './lab.ts';

const AT_ONCE = 1_000;

export type Settings = Record<string, string>;
export type Json = Record<string, unknown>;

/** Asks a server as its administrator; anything but success fails the experiment. */
export async function call<T = Json>(server: ServerProcess, method: string, path: string, body?: Json): Promise<T> {
  const response = await fetch(`${server.url}/api/v4${path}`, {
    method,
    headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text || 'null') as T;
}

/** Works on the database of a server that does not run. */
export async function onDatabase<T>(dataDir: string, settings: Settings, work: (db: Db) => Promise<T>): Promise<T> {
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, ...settings });
  const database = await openExisting(config.database);
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

/** Writes issues with so many notes each straight into the database. */
export async function fillWithIssues(db: Db, projectId: number, count: number, notesEach: number): Promise<void> {
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
  for (let first = 1; first <= count; first += AT_ONCE) {
    await db.transaction().execute(async (db) => {
      const numbers = Array.from({ length: Math.min(AT_ONCE, count - first + 1) }, (_, n) => first + n);
      const rows = await db
        .insertInto('issues')
        .values(
          numbers.map((iid) => ({
            iid,
            project_id: projectId,
            author_id: 1,
            title: `Issue ${iid} ☃`,
            description: `What ${iid} is about. `.repeat(20),
            created_at: at(iid),
            updated_at: at(iid),
          })),
        )
        .returning(['id', 'iid'])
        .execute();
      for (let n = 0; n < notesEach; n += 1) {
        await db
          .insertInto('notes')
          .values(
            rows.map(({ id, iid }) => ({
              project_id: projectId,
              noteable_type: 'Issue' as const,
              noteable_id: id,
              discussion_id: createHash('sha1').update(`${iid}:${n}`).digest('hex'),
              author_id: 1,
              note: `Word ${n} on ${iid}. `.repeat(10),
              created_at: at(iid + n),
              updated_at: at(iid + n),
            })),
          )
          .execute();
      }
    });
  }
}

/** Counts issues and notes, and makes one hash of all their texts and times, in the order of numbers. */
export async function digestOf(db: Db, projectId: number): Promise<{ issues: number; notes: number; digest: string }> {
  const hash = createHash('sha256');
  let [issues, notes] = [0, 0];
  for (let after = 0; ; ) {
    const page = await db
      .selectFrom('issues')
      .select(['id', 'iid', 'title', 'description', 'state', 'created_at', 'updated_at'])
      .where('project_id', '=', projectId)
      .where('iid', '>', after)
      .orderBy('iid')
      .limit(AT_ONCE)
      .execute();
    const systemNotes = await db
      .selectFrom('notes')
      .innerJoin('issues', 'issues.id', 'noteable_id')
      .select(['iid', 'note', 'notes.created_at'])
      .where('noteable_type', '=', 'Issue')
      .where(
        'noteable_id',
        'in',
        page.map(({ id }) => id),
      )
      .orderBy('iid')
      .orderBy('notes.id')
      .execute();
    for (const { id: _id, ...row } of page) hash.update(JSON.stringify(row));
    for (const row of systemNotes) hash.update(JSON.stringify(row));
    issues += page.length;
    notes += systemNotes.length;
    if (page.length < AT_ONCE) return { issues, notes, digest: hash.digest('hex') };
    after = page.at(-1)!.iid;
  }
}
