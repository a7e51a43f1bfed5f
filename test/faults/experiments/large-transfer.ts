import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../src/config/config.ts';
import { openExisting } from '../../../src/db/database.ts';
import type { Db } from '../../../src/db/schema.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { peakMemory } from '../measure.ts';

const ISSUES = 100_000;
const NOTES_EACH = 5;
const AT_ONCE = 1_000;
const MAX_MIB = 350;
const LONGEST_MS = 1_800_000;

type Settings = Record<string, string>;
type Json = Record<string, unknown>;

async function call<T = Json>(server: ServerProcess, method: string, path: string, body?: Json): Promise<T> {
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
async function onDatabase<T>(dataDir: string, settings: Settings, work: (db: Db) => Promise<T>): Promise<T> {
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, ...settings });
  const database = await openExisting(config.database);
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

/** Writes issues with notes straight into the database. */
async function fill(db: Db, projectId: number): Promise<void> {
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
  for (let first = 1; first <= ISSUES; first += AT_ONCE) {
    await db.transaction().execute(async (db) => {
      const numbers = Array.from({ length: AT_ONCE }, (_, n) => first + n);
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
      for (let n = 0; n < NOTES_EACH; n += 1) {
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
async function digestOf(db: Db, projectId: number): Promise<{ issues: number; notes: number; digest: string }> {
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
    const said = await db
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
    for (const row of said) hash.update(JSON.stringify(row));
    issues += page.length;
    notes += said.length;
    if (page.length < AT_ONCE) return { issues, notes, digest: hash.digest('hex') };
    after = page.at(-1)!.iid;
  }
}

const experiment: Experiment = {
  title: `a group with ${ISSUES} issues and ${ISSUES * NOTES_EACH} notes is brought from one server to another`,
  async run(lab) {
    const [from, to] = [join(lab.folder, 'from'), join(lab.folder, 'to')];
    const local = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
    const [fromSettings, toSettings] = [await lab.newDatabase(), { ...(await lab.newDatabase()), ...local }];
    let source = await lab.start(from, fromSettings);
    const group = await call(source, 'POST', '/groups', { name: 'large', path: 'large' });
    const project = await call(source, 'POST', '/projects', { name: 'issues', namespace_id: group.id });
    await source.stop();
    await onDatabase(from, fromSettings, (db) => fill(db, Number(project.id)));

    source = await lab.start(from, fromSettings);
    const target = await lab.start(to, toSettings);
    await call(target, 'PUT', '/application/settings', { bulk_import_enabled: true });
    const configuration = { url: source.url, access_token: ROOT_TOKEN };
    const entity = {
      source_type: 'group_entity',
      source_full_path: 'large',
      destination_namespace: '',
      destination_slug: 'large',
    };
    const begun = Date.now();
    let exported = 0;
    let brought: Json = {};
    const work = async () => {
      const { id } = await call(target, 'POST', '/bulk_imports', { configuration, entities: [entity] });
      for (;;) {
        await sleep(1_000);
        const path = '/projects/large%2Fissues/export_relations/status';
        const relations = await call<Json[]>(source, 'GET', path);
        const all = relations.length > 0 && relations.every(({ status }) => status === 1);
        if (exported === 0 && all) exported = Date.now() - begun;
        brought = await call(target, 'GET', `/bulk_imports/${id}`);
        if (!['created', 'started'].includes(String(brought.status))) return;
        assert.ok(Date.now() - begun < LONGEST_MS, 'it takes too long');
      }
    };
    let importing = 0;
    const exporting = await peakMemory([source.child.pid!], async () => {
      importing = await peakMemory([target.child.pid!], work);
    });
    const seconds = (ms: number) => Math.round(ms / 1_000);
    lab.say(`exported after ${seconds(exported)} s, brought after ${seconds(Date.now() - begun)} s`);
    lab.say(`at most ${exporting} MiB where it comes from, ${importing} MiB where it goes to`);
    assert.deepEqual([brought.status, brought.has_failures], ['finished', false]);
    const copy = await call(target, 'GET', '/projects/large%2Fissues');
    await Promise.all([source.stop(), target.stop()]);

    const was = await onDatabase(from, fromSettings, (db) => digestOf(db, Number(project.id)));
    const is = await onDatabase(to, toSettings, (db) => digestOf(db, Number(copy.id)));
    assert.equal(was.issues, ISSUES);
    assert.equal(was.notes, ISSUES * NOTES_EACH);
    assert.deepEqual(is, was);
    assert.ok(exporting <= MAX_MIB, `${exporting} MiB where it comes from`);
    assert.ok(importing <= MAX_MIB, `${importing} MiB where it goes to`);
  },
};
export default experiment;
