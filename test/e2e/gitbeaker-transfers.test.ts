import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { changeSettings } from '../support/settings.ts';

/** The unmodified JavaScript client against the listening server. */
let app: TestApp;
let url: string;
let api: InstanceType<typeof Gitlab<false>>;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  url = await app.listen();
  api = new Gitlab({ host: url, token: ROOT_TOKEN });
});
after(() => app.close());

test('a project is exported and imported', async () => {
  const { id } = await app.make.project({ path: 'tool' });
  // The client demands an address to send it to; here it is fetched.
  expectStatus(await app.post(`/projects/${id}/export`), 202);
  await app.drain();
  assert.equal((await api.ProjectImportExports.showExportStatus(id)).export_status, 'finished');
  const content = await api.ProjectImportExports.download(id);
  const made = await api.ProjectImportExports.import({ content, filename: 'tool.tar.gz' }, 'again');
  await app.drain();
  assert.equal((await api.ProjectImportExports.showImportStatus(made.id)).import_status, 'finished');
});

test('a group is exported and imported', async () => {
  const { id } = await app.make.group({ path: 'tools' });
  await api.GroupImportExports.scheduleExport(id);
  await app.drain();
  const content = await api.GroupImportExports.download(id);
  await api.GroupImportExports.import({ content, filename: 'tools.tar.gz' }, 'more-tools', { name: 'More tools' });
  await app.drain();
  assert.equal((await api.Groups.show('more-tools')).name, 'More tools');
});

test('a group comes from another server', async () => {
  await changeSettings(app, { bulk_import_enabled: true });
  await app.make.group({ path: 'source' });
  const entity = {
    sourceType: 'group_entity',
    sourceFullPath: 'source',
    destinationSlug: 'brought',
    destinationNamespace: '',
  } as const;
  const made = await api.Migrations.create({ url, access_token: ROOT_TOKEN }, [entity]);
  await app.drain();
  const shown = await api.Migrations.show(made.id);
  assert.equal(shown.status, 'finished');
  assert.equal((await api.Migrations.allEntities({ bulkImportId: made.id })).length, 1);
});
