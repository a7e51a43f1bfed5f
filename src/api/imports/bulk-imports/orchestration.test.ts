import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { auditOf } from '../../../../test/support/audit-trail.ts';
import { serveFiles } from '../../../../test/support/file-server.ts';
import { askImport } from '../../../../test/support/imports.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.table.ts';

type Json = Record<string, unknown>;
const TOKEN = 'glpat-secret-of-the-other-server';
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: true } }), 200);
});
after(() => app.close());

/** A scripted source server. */
const serve = (more: Parameters<typeof serveFiles>[0]) =>
  serveFiles({
    '/api/v4/version': '{"version":"18.0.0"}',
    '/api/v4/personal_access_tokens/self': '{"scopes":["api"]}',
    ...more,
  });
const ask = (url: string, entity: Json = {}) =>
  askImport(app, url, { migrate_memberships: false, ...entity }, { access: TOKEN });

describe('a destination', () => {
  test('that cannot be, or that something has already, is refused before anything is made', async () => {
    const elsewhere = await serve({});
    await app.make.group({ path: 'taken' });
    const bad = expectStatus<Json>(await ask(elsewhere.url, { destination_slug: '../x' }), 400);
    assert.match(String(bad.message), /destination_slug/);
    const taken = expectStatus<Json>(await ask(elsewhere.url, { destination_slug: 'taken' }), 422);
    assert.equal(taken.message, "Import failed. 'taken' already exists. Change the destination and try again.");
    assert.deepEqual(elsewhere.asked, []);
    await elsewhere.close();
  });
});

describe('another server', () => {
  test('that redirects is not followed, and is not shown the token elsewhere', async () => {
    const inside = await serve({});
    const elsewhere = await serveFiles({
      '/api/v4/version': (_request, response) =>
        response.writeHead(302, { location: `${inside.url}/api/v4/version` }).end(),
    });
    expectStatus(await ask(elsewhere.url), 422);
    assert.deepEqual(inside.asked, []);
    await Promise.all([elsewhere.close(), inside.close()]);
  });

  test('is told of with neither its token in answers, events, jobs nor the log', async () => {
    const elsewhere = await serve({});
    let made: Json = {};
    const events = await auditOf(app, async () => {
      made = expectStatus<Json>(await ask(elsewhere.url, { destination_slug: 'secret' }), 201);
    });
    assert.deepEqual(
      events.map(({ event_name }) => event_name),
      ['bulk_import_created'],
    );
    await app.drain();
    const rows = await app.deps.db.selectFrom('jobs').selectAll().execute();
    const shown = expectStatus<Json[]>(await app.get(`/bulk_imports/${made.id}/entities`), 200);
    assert.equal(shown[0]!.status, 'failed');
    assert.ok(!JSON.stringify([made, events, rows, shown, app.logLines]).includes(TOKEN));
    await elsewhere.close();
  });

  test('that does not go on for a day ends the import', async () => {
    const elsewhere = await serve({});
    const made = expectStatus<Json>(await ask(elsewhere.url, { destination_slug: 'never' }), 201);
    const updated_at = new Date(Date.now() - 25 * 3_600_000).toISOString();
    await app.deps.db
      .updateTable('bulk_import_entities')
      .set({ status: IMPORT_STATUS.started, updated_at })
      .where('bulk_import_id', '=', Number(made.id))
      .execute();
    const asked = elsewhere.asked.length;
    await app.drain();
    assert.equal(elsewhere.asked.length, asked);
    assert.equal(expectStatus<Json>(await app.get(`/bulk_imports/${made.id}`), 200).status, 'timeout');
    const [entity] = expectStatus<Json[]>(await app.get(`/bulk_imports/${made.id}/entities`), 200);
    assert.equal(entity!.status, 'timeout');
    assert.match(String((entity!.failures as Json[])[0]!.exception_message), /no progress for a day/);
    await elsewhere.close();
  });
});

test('an import that is cancelled is told once', async () => {
  const elsewhere = await serve({});
  const made = expectStatus<Json>(await ask(elsewhere.url, { destination_slug: 'halted' }), 201);
  const events = await auditOf(app, async () => {
    for (let times = 0; times < 2; times += 1) {
      expectStatus(await app.post(`/bulk_imports/${made.id}/cancel`), 200);
    }
  });
  assert.deepEqual(
    events.map(({ event_name }) => event_name),
    ['bulk_import_canceled'],
  );
  await elsewhere.close();
});
