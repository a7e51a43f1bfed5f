import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, mock, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { sendArchive } from '../../../test/support/imports.ts';
import { changeSettings, resetSettings } from '../../../test/support/settings.ts';
import { tarGzOf } from '../../../test/support/tar.ts';
import { IMPORT_STATUS } from '../../db/tables/bulk-imports.table.ts';

const clock = new TestClock(new Date());
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

for (const [to, made] of [
  ['groups', 202],
  ['projects', 201],
] as const) {
  describe(`an archive for ${to}`, () => {
    test('that is larger than administrators allow is refused, and nothing is made of it', async () => {
      await changeSettings(app, { max_import_size: 1 });
      const large = { path: `large-${to}`, name: 'Large' };
      expectStatus(await sendArchive(app, to, Buffer.alloc(1024 * 1024 + 1), large), 413);
      await resetSettings(app);
      const entities = app.deps.db.selectFrom('bulk_import_entities').select('id');
      assert.deepEqual(await entities.where('destination_slug', '=', large.path).execute(), []);
    });

    test('that cannot be read for a while is tried again, and at last given up and given away', async () => {
      const { db, blobs } = app.deps;
      const archive = await tarGzOf([['VERSION', `for ${to}`]]);
      const path = `late-${to}`;
      expectStatus(await sendArchive(app, to, archive, { path, name: 'Late' }), made);
      const get = mock.method(blobs, 'get', () => Promise.reject(new Error('not now')));
      for (let time = 0; time < 10; time += 1) {
        await app.drain();
        clock.advance(3_600_000);
      }
      get.mock.restore();
      const { id, status } = await db
        .selectFrom('bulk_import_entities')
        .selectAll()
        .where('destination_slug', '=', path)
        .executeTakeFirstOrThrow();
      assert.deepEqual([status, get.mock.callCount()], [IMPORT_STATUS.failed, 5]);
      const failures = await db
        .selectFrom('bulk_import_failures')
        .select(['relation', 'exception_message'])
        .where('entity_id', '=', id)
        .execute();
      assert.deepEqual(
        failures.map(({ relation, exception_message }) => [`${relation}s`, exception_message]),
        [[to, 'The archive could not be imported.']],
      );
      assert.equal(await blobs.stat(hash('sha256', archive)), null);
    });
  });
}
