import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../test/support/app.ts';
import { reachedByMaintenance } from '../../test/support/maintenance.ts';
import { beforeTransaction } from '../../test/support/meanwhile.ts';
import { commitToWiki, page } from '../../test/support/wikis.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Wiki } from '../db/tables/wikis.table.ts';
import { writeActions } from '../git/commits/index.ts';
import { createRepository } from '../git/repository/index.ts';
import { allRepositories } from './all.ts';
import { repositoryOf } from './change-refs.ts';
import { withNewRepository } from './new-repository.ts';
import { recoverIntents } from './recover-intents.ts';
import { refInconsistencies } from './ref-consistency.ts';
import { removeUnlessUsed } from './repository.removal.ts';
import { ensureWiki, findWiki } from './repository.wikis.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
beforeEach(async () => {
  app = await buildTestApp({ clock });
  app.deps.alone = true;
  project = await app.make.project();
});
afterEach(() => app.close());

const ofProject = () => ({ type: 'project' as const, id: project.id });
/** Repositories on disk. */
const folders = () => globSync('@hashed/*/*/*', { cwd: app.deps.storages.list[0]!.path }).length;
const wikis = () => app.deps.db.selectFrom('wikis').selectAll().execute();

async function names(): Promise<string[]> {
  const all: string[] = [];
  for await (const { name } of allRepositories(app.deps.db)) all.push(name);
  return all;
}

describe('a wiki', () => {
  test('is made once, however many want it at once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => ensureWiki(app.deps, ofProject())));
    assert.equal(new Set(made.map(({ id }) => id)).size, 1);
    assert.equal((await wikis()).length, 1);
    assert.equal(folders(), 2);
    assert.deepEqual(await names(), [project.full_path, `${project.full_path}.wiki`]);
  });

  test('of a project or group that is gone is not made, and leaves nothing', async () => {
    beforeTransaction(app, () => app.deps.db.deleteFrom('projects').where('id', '=', project.id).execute());
    await assert.rejects(ensureWiki(app.deps, ofProject()), { message: '404 Project Not Found' });
    await assert.rejects(ensureWiki(app.deps, { type: 'group', id: 4711 }), { message: '404 Group Not Found' });
    assert.equal(folders(), 1);
  });

  test('begins on the default branch of its group', async () => {
    const group = await app.make.group();
    const branchOf = async (settings: object, id: number) => {
      await app.deps.db
        .updateTable('namespaces')
        .set({ settings: JSON.stringify(settings) })
        .execute();
      return repositoryOf(app.deps, await ensureWiki(app.deps, { type: 'group', id })).refs.head();
    };
    assert.equal(await branchOf({ default_branch: 'trunk' }, group.id), 'trunk');
    assert.equal(await branchOf({ default_branch: '-x..' }, (await app.make.group()).id), 'main');
    assert.equal(await branchOf({ default_branch: null }, (await app.make.group()).id), 'main');
  });

  test('goes with its project, and with its group and the projects in that', async () => {
    const group = await app.make.group();
    const inside = await app.make.project({ namespace: group });
    const one = await commitToWiki(app, ofProject(), [page('home.md')]);
    await commitToWiki(app, { type: 'group', id: group.id }, [page('home.md')]);
    await commitToWiki(app, { type: 'project', id: inside.id }, [page('home.md')]);
    assert.equal(folders(), 5);
    await leaveIntent(one.wiki);
    expectStatus(await app.delete(`/projects/${project.id}`), 202);
    expectStatus(await app.delete(`/groups/${group.id}`), 202);
    await app.drain();
    assert.deepEqual([await wikis(), folders()], [[], 0]);
    assert.deepEqual(await app.deps.db.selectFrom('ref_intents').select('id').execute(), []);
  });
});

/** What a process leaves that dies when it has stored its intent. */
async function leaveIntent(wiki: Wiki): Promise<RefChange[]> {
  const repo = repositoryOf(app.deps, wiki);
  const old = await repo.refs.resolve('refs/heads/main');
  const who = { name: 'Ada', email: 'ada@example.com', date: clock.now() };
  const actions = [page('second.md')];
  const { oid } = await writeActions(repo, { base: old, actions, author: who, committer: who, message: 'x' });
  const updates = [{ ref: 'refs/heads/main', old, new: oid }];
  await app.deps.db
    .insertInto('ref_intents')
    .values({
      wiki_id: wiki.id,
      user_id: 1,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via: 'api', pushOptions: [], wasEmpty: false }),
      created_at: clock.now().toISOString(),
    })
    .execute();
  return updates;
}

const pushes = async () =>
  (await app.deps.db.selectFrom('domain_events').select('project_id').where('type', '=', 'wiki.pushed').execute())
    .length;

describe('a process that dies', () => {
  test('after the branch of a wiki has moved leaves a change that is completed', async () => {
    const { wiki } = await commitToWiki(app, ofProject(), [page('home.md')]);
    await repositoryOf(app.deps, wiki).refs.transaction(await leaveIntent(wiki));
    await recoverIntents(app.deps);
    assert.equal(await pushes(), 2);
    assert.deepEqual(await app.deps.db.selectFrom('ref_intents').select('id').execute(), []);
  });

  test('before that leaves nothing', async () => {
    const { wiki } = await commitToWiki(app, ofProject(), [page('home.md')]);
    await leaveIntent(wiki);
    await recoverIntents(app.deps);
    assert.equal(await pushes(), 1);
    assert.deepEqual(await app.deps.db.selectFrom('ref_intents').select('id').execute(), []);
  });

  test('beside other servers is told from one on whose change another was built', async () => {
    const { wiki } = await commitToWiki(app, ofProject(), [page('home.md')]);
    await repositoryOf(app.deps, wiki).refs.transaction(await leaveIntent(wiki));
    await commitToWiki(app, ofProject(), [page('third.md')]);
    app.deps.alone = false;
    clock.advance(3_600_000);
    await recoverIntents(app.deps);
    assert.equal(await pushes(), 3);
  });
});

test('upkeep and sweeping reach the repositories of wikis', async () => {
  const { wiki } = await commitToWiki(app, ofProject(), [page('home.md')]);
  await reachedByMaintenance(app, clock, repositoryOf(app.deps, wiki).dir);
});

test('a ref of a wiki that is not where it was left is told', async () => {
  const { wiki, oid } = await commitToWiki(app, ofProject(), [page('home.md')]);
  assert.deepEqual(await refInconsistencies(app.deps.db, app.deps.storages), []);
  await repositoryOf(app.deps, wiki).refs.transaction([{ ref: 'refs/heads/main', old: oid, new: null }]);
  assert.deepEqual(await refInconsistencies(app.deps.db, app.deps.storages), [
    `wiki ${wiki.id}: refs/heads/main differs from its last recorded change`,
  ]);
});

describe('a wiki takes no change', () => {
  const refused = (change: Promise<unknown>) => assert.rejects(change, /temporarily read-only/);

  test('while it is read-only, or its project or group waits for its deletion', async () => {
    const { db } = app.deps;
    const group = await app.make.group();
    const ofGroup = { type: 'group' as const, id: group.id };
    await commitToWiki(app, ofProject(), [page('home.md')]);
    await commitToWiki(app, ofGroup, [page('home.md')]);
    await db.updateTable('wikis').set({ repository_read_only: 1 }).execute();
    await refused(commitToWiki(app, ofProject(), [page('a.md')]));
    await db.updateTable('wikis').set({ repository_read_only: 0 }).execute();
    await commitToWiki(app, ofProject(), [page('a.md')]);
    await db.updateTable('projects').set({ in_deletion: 1 }).execute();
    await db.updateTable('namespaces').set({ in_deletion: 1 }).where('id', '=', group.id).execute();
    await refused(commitToWiki(app, ofProject(), [page('b.md')]));
    await refused(commitToWiki(app, ofGroup, [page('b.md')]));
  });

  test('once its project is going', async () => {
    await commitToWiki(app, ofProject(), [page('home.md')]);
    await app.deps.db.updateTable('projects').set({ pending_delete: 1 }).execute();
    await assert.rejects(commitToWiki(app, ofProject(), [page('b.md')]), { message: '404 Wiki Not Found' });
    assert.notEqual(await findWiki(app.deps.db, ofProject()), undefined);
  });
});

test('a process that dies before it writes the row leaves a repository that is removed later', async () => {
  const { wiki } = await commitToWiki(app, ofProject(), [page('home.md')]);
  const location = { storage: wiki.repository_storage, diskPath: app.deps.storages.newDiskPath() };
  await removeUnlessUsed(app.deps, location);
  await createRepository(app.deps.storages.dirOf(location), { defaultBranch: 'main' });
  await app.drain();
  assert.equal(folders(), 3);
  clock.advance(2 * 3_600_000);
  await app.drain();
  assert.equal(folders(), 2);
  assert.equal((await commitToWiki(app, ofProject(), [page('other.md')])).wiki.id, wiki.id);
});

test('a clock that jumps ahead while a repository is made takes it from nobody', async () => {
  let made = 0;
  const place = await withNewRepository(
    app.deps,
    async (dir) => {
      await createRepository(dir, { defaultBranch: 'main' });
      clock.advance(86_400_000);
      await app.drain();
      made += 1;
    },
    async (_db, place) => place,
  );
  assert.equal(made, 1);
  const location = { storage: place.repository_storage, diskPath: place.disk_path };
  assert.equal(existsSync(app.deps.storages.dirOf(location)), true);
});
