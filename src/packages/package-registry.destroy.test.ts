import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { makePackage } from '../../test/support/packages.ts';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { User } from '../db/tables/users.table.ts';
import { destroyFiles, destroyPackages } from './package-registry.destroy.ts';
import { findFile, findVersion, versionsOf } from './package-registry.find.ts';

let app: TestApp;
let clock: TestClock;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  // Blobs have the times of the file system.
  clock = new TestClock(new Date());
  app = await buildTestApp({ clock });
  project = await app.make.project();
  staff = await app.make.members(project);
});
after(() => app.close());

const as = (user: User): Caller => ({ ...ANONYMOUS, user, scopes: ['api'] });
const by = ({ user }: { user: User }) => ({ caller: as(user), projectId: project.id });
const make = (options: Parameters<typeof makePackage>[2]) => makePackage(app.deps, project.id, options);
const named = (name: string) => ({ type: 'generic', nameKey: name }) as const;
const here = () => ({ projectId: project.id });
const rows = async (id: number) => {
  const { db } = app.deps;
  const files = await db.selectFrom('package_files').selectAll().where('package_id', '=', id).execute();
  const packages = await db.selectFrom('packages').select('id').where('id', '=', id).execute();
  return { files, there: packages.length };
};

describe('a package that is deleted', () => {
  test('is gone at once, and its rows and bytes follow', async () => {
    const { id } = await make({ name: 'gone', files: { a: 'content of a', b: 'content of b' } });
    const other = await make({ name: 'other', files: { a: 'content of a' } });
    const { files } = await rows(id);
    await destroyPackages(app.deps, by(staff.maintainer), [id]);
    assert.deepEqual(await versionsOf(app.deps.db, here(), named('gone')), []);
    assert.equal(await findVersion(app.deps.db, here(), { ...named('gone'), versionKey: '1.0.0' }), undefined);
    assert.equal(await findFile(app.deps.db, here(), { ...named('gone'), fileName: 'a' }), undefined);
    await app.drain();
    assert.deepEqual(await rows(id), { files: [], there: 0 });
    clock.advance(7_200_000);
    await app.drain();
    const [a, b] = files;
    assert.notEqual(await app.deps.blobs.stat(a!.sha256), null, 'another package needs it');
    assert.equal(await app.deps.blobs.stat(b!.sha256), null);
    assert.equal((await rows(other.id)).files.length, 1);
  });

  test('leaves its version free at once', async () => {
    const first = await make({ name: 'again' });
    await destroyPackages(app.deps, by(staff.maintainer), [first.id]);
    const second = await make({ name: 'again' });
    const version = await findVersion(app.deps.db, here(), { ...named('again'), versionKey: '1.0.0' });
    assert.equal(version?.id, second.id);
    await app.drain();
    assert.equal((await rows(second.id)).there, 1);
  });

  test('goes with all others that are asked for, or none does', async () => {
    const elsewhere = await app.make.project();
    const one = await make({ name: 'all', files: { f: 'x' } });
    const foreign = await makePackage(app.deps, elsewhere.id);
    const attempt = destroyPackages(app.deps, by(staff.maintainer), [one.id, foreign.id]);
    await assert.rejects(attempt, { status: 404 });
    await app.drain();
    assert.equal((await rows(one.id)).there, 1);
    assert.equal((await rows(foreign.id)).there, 1);
    const { files } = await rows(one.id);
    await assert.rejects(destroyFiles(app.deps, { ...by(staff.owner), projectId: elsewhere.id }, [files[0]!.id]), {
      status: 404,
    });
  });

  test('takes a Maintainer who still is one', async () => {
    const { id } = await make({ name: 'rights', files: { f: 'x' } });
    const [file] = (await rows(id)).files;
    for (const [who, status] of [
      [staff.stranger, 404],
      [staff.guest, 403],
      [staff.reporter, 403],
      [staff.developer, 403],
    ] as const) {
      await assert.rejects(destroyPackages(app.deps, by(who), [id]), { status });
      await assert.rejects(destroyFiles(app.deps, by(who), [file!.id]), { status });
    }
    await destroyPackages(app.deps, by(staff.owner), [id]);
    await assert.rejects(destroyPackages(app.deps, by(staff.owner), [id]), { status: 404 });
    await assert.rejects(destroyFiles(app.deps, by(staff.owner), [file!.id]), { status: 404 });
  });

  test('stays where a rule asks for a higher role', async () => {
    const { id } = await make({ name: 'Kept-App', files: { f: 'x' } });
    const [file] = (await rows(id)).files;
    await app.deps.db
      .insertInto('package_protection_rules')
      .values({
        project_id: project.id,
        package_type: 'generic',
        package_name_pattern: 'kept-*',
        minimum_access_level_for_push: null,
        minimum_access_level_for_delete: 'owner',
        created_at: '',
        updated_at: '',
      })
      .execute();
    const refusal = { status: 403, message: '403 Forbidden - Package is deletion protected.' };
    await assert.rejects(destroyPackages(app.deps, by(staff.maintainer), [id]), refusal);
    await assert.rejects(destroyFiles(app.deps, by(staff.maintainer), [file!.id]), refusal);
    await destroyFiles(app.deps, by(staff.owner), [file!.id]);
    await app.drain();
    assert.deepEqual(await rows(id), { files: [], there: 1 });
    await destroyPackages(app.deps, by(staff.owner), [id]);
  });

  test('is removed with more files than a batch has', async () => {
    const { id } = await make({ name: 'large' });
    const file = { package_id: id, size: 1, sha256: 'a'.repeat(64), created_at: '', updated_at: '' };
    const many = Array.from({ length: 450 }, (_, n) => ({ ...file, file_name: `f${n}` }));
    await app.deps.db.insertInto('package_files').values(many).execute();
    await destroyPackages(app.deps, by(staff.maintainer), [id]);
    await app.drain();
    assert.deepEqual(await rows(id), { files: [], there: 0 });
  });
});

describe('projects that go', () => {
  test('take the bytes of their packages along', async () => {
    const going = await app.make.project();
    const { id } = await makePackage(app.deps, going.id, { files: { f: 'only here' } });
    const [file] = (await rows(id)).files;
    assert.equal((await app.request('DELETE', `/projects/${going.id}`)).statusCode, 202);
    const path = encodeURIComponent(
      (await app.get(`/projects/${going.id}`)).json<{ path_with_namespace: string }>().path_with_namespace,
    );
    await app.request('DELETE', `/projects/${path}`, {
      query: { permanently_remove: true, full_path: decodeURIComponent(path) },
    });
    await app.drain();
    assert.deepEqual(await rows(id), { files: [], there: 0 });
    clock.advance(7_200_000);
    await app.drain();
    assert.equal(await app.deps.blobs.stat(file!.sha256), null);
  });
});
