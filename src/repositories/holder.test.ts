import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { currentHolder } from './holder.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('a project is found until it is going', async () => {
  const { db, config } = app.deps;
  // SQLite has nobody to hold it against.
  for (const hold of config.database.kind === 'postgres' ? [false, true] : [false]) {
    const { id } = await app.make.project();
    const now = () => db.transaction().execute((db) => currentHolder(db, { type: 'project', id }, { hold }));
    const set = (columns: Partial<Record<'in_deletion' | 'repository_read_only' | 'pending_delete', 1>>) =>
      db.updateTable('projects').set(columns).where('id', '=', id).execute();
    const holder = await now();
    assert.deepEqual([holder?.project?.id, holder?.writable, holder?.busy], [id, true, false]);
    await set({ in_deletion: 1 });
    assert.equal((await now())?.writable, false);
    await set({ repository_read_only: 1 });
    assert.equal((await now())?.busy, true);
    await set({ pending_delete: 1 });
    assert.equal(await now(), undefined);
  }
});
