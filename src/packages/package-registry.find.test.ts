import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { makePackage } from '../../test/support/packages.ts';
import { ANONYMOUS } from '../access/caller.ts';
import { filesOf, findFile, findVersion, versionsOf } from './package-registry.find.ts';
import { readablePackages } from './package-registry.readable.ts';

let app: TestApp;
let open: number;
let closed: number;
before(async () => {
  app = await buildTestApp();
  open = (await app.make.project({ visibility: 'public' })).id;
  closed = (await app.make.project({ visibility: 'private' })).id;
});
after(() => app.close());

const NAME = { type: 'npm', nameKey: 'lib' } as const;
const make = (projectId: number, options: Parameters<typeof makePackage>[2]) =>
  makePackage(app.deps, projectId, { type: 'npm', name: 'lib', ...options });

test('what can be installed is found, and nothing else', async () => {
  const { db } = app.deps;
  const ids: Record<string, number> = {};
  for (const status of ['default', 'hidden', 'deprecated', 'processing', 'error', 'pending_destruction'] as const) {
    ids[status] = (await make(open, { version: status, status, files: { f: status } })).id;
  }
  const foreign = await make(closed, { version: 'default', files: { f: 'closed' } });
  await makePackage(app.deps, open, { type: 'generic', name: 'lib', files: { f: 'another type' } });
  const versions = await versionsOf(db, { projectId: open }, NAME);
  assert.deepEqual(
    versions.map(({ version }) => version),
    ['default', 'hidden', 'deprecated'],
  );
  assert.equal((await findVersion(db, { projectId: open }, { ...NAME, versionKey: 'error' }))?.id, undefined);
  assert.equal((await findVersion(db, { projectId: open }, { ...NAME, versionKey: 'hidden' }))?.id, ids.hidden);
  const readable = await readablePackages(app.deps, ANONYMOUS);
  assert.equal((await findVersion(db, { readable }, { ...NAME, versionKey: 'default' }))?.id, ids.default);
  assert.equal((await versionsOf(db, { readable }, NAME)).length, 3);
  assert.equal((await findFile(db, { readable }, { ...NAME, fileName: 'f' }))?.package_id, ids.deprecated);
  assert.equal((await findFile(db, { projectId: closed }, { ...NAME, fileName: 'f' }))?.package_id, foreign.id);
});

test('of several files of a name the last is found, and none that was deleted', async () => {
  const { db } = app.deps;
  const { id } = await make(open, { name: 'files', files: { a: 'first', b: 'b' } });
  const [a] = (await filesOf(db, [id])).get(id)!;
  const { id: _, ...again } = a!;
  await db
    .insertInto('package_files')
    .values({ ...again, size: 7 })
    .execute();
  const fileKey = { type: 'npm', nameKey: 'files', versionKey: '1.0.0', fileName: 'a' } as const;
  assert.equal((await findFile(db, { projectId: open }, fileKey))?.size, 7);
  await db.updateTable('package_files').set({ status: 'pending_destruction' }).where('size', '=', 7).execute();
  assert.equal((await findFile(db, { projectId: open }, fileKey))?.id, a!.id);
  const files = await filesOf(db, [id, 999]);
  assert.deepEqual(
    files.get(id)!.map(({ file_name }) => file_name),
    ['a', 'b'],
  );
  assert.deepEqual(files.get(999), []);
});
