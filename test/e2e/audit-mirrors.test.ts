import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { auditedRequest, auditOf } from '../support/audit-trail.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
});
after(() => app.close());

/** Nothing listens there, so an update that is started ends at once. */
const at = (path: string, credentials: string) => `http://${credentials}@127.0.0.1:443/${path}.git`;
const SECRETS = /ann|sesame|open/;

test('a push mirror is told of when it is made, changed and removed, without its credentials', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/remote_mirrors`;
  const on = `Project ${project.id}`;
  const url = at('copy', 'ann:sesame%2Fopen');
  const { made, ...added } = await auditedRequest(app, 'POST', path, { url, enabled: false });
  assert.deepEqual(added.gist, {
    event: 'remote_mirror_created',
    on,
    target: 'RemoteMirror http://127.0.0.1:443/copy.git',
    message: 'Added push mirror',
  });
  const changes = [
    { json: { only_protected_branches: true }, message: 'Changed only protected branches from false to true' },
    { json: { url: at('copy', 'ann:open-sesame') }, message: 'Changed the credentials of url' },
    {
      json: { url: at('other', 'ann:sesame') },
      message: 'Changed url from http://127.0.0.1:443/copy.git to http://127.0.0.1:443/other.git',
    },
  ];
  const events = [added.event];
  for (const { json, message } of changes) {
    const changed = await auditedRequest(app, 'PUT', `${path}/${made.id}`, json);
    assert.deepEqual(
      [changed.gist.event, changed.gist.on, changed.gist.message],
      ['remote_mirror_updated', on, message],
    );
    events.push(changed.event);
  }
  const same = async () => expectStatus(await app.put(`${path}/${made.id}`, { json: changes[0]!.json }), 200);
  assert.deepEqual(await auditOf(app, same), []);
  const gone = await auditedRequest(app, 'DELETE', `${path}/${made.id}`);
  assert.deepEqual([gone.gist.event, gone.gist.message], ['remote_mirror_deleted', 'Removed push mirror']);
  assert.doesNotMatch(JSON.stringify([...events, gone.event]), SECRETS);
  assert.deepEqual(await auditOf(app, () => app.delete(`${path}/${made.id}`)), []);
});

for (const way of ['mirror/pull', 'attributes'] as const) {
  test(`a pull mirror is told of by ${way}, without its credentials`, async () => {
    const project = await app.make.project();
    const [path, address, mirror] =
      way === 'attributes'
        ? [`/projects/${project.id}`, 'import_url', 'mirror']
        : [`/projects/${project.id}/mirror/pull`, 'url', 'enabled'];
    const names = async (json: object) => {
      const events = await auditOf(app, async () => expectStatus(await app.put(path, { json }), 200));
      assert.doesNotMatch(JSON.stringify(events), SECRETS);
      return events.map(({ event_name, details }) => [event_name, details.custom_message]).sort();
    };
    assert.deepEqual(await names({ [address]: at('from', 'ann:sesame'), [mirror]: true }), [
      ['project_import_url_updated', 'Changed import url from  to http://127.0.0.1:443/from.git'],
      ['project_mirror_updated', 'Changed mirror from false to true'],
      ['project_mirror_user_id_updated', 'Changed mirror user id from  to 1'],
    ]);
    assert.deepEqual(await names({ [address]: at('from', 'ann:open-sesame') }), [
      ['project_import_url_updated', 'Changed the credentials of import url'],
    ]);
    assert.deepEqual(await names({ mirror_overwrites_diverged_branches: true }), [
      [
        'project_mirror_overwrites_diverged_branches_updated',
        'Changed mirror overwrites diverged branches from false to true',
      ],
    ]);
    assert.deepEqual(await names({ [mirror]: false }), [
      ['project_mirror_updated', 'Changed mirror from true to false'],
      ['project_mirror_user_id_updated', 'Changed mirror user id from 1 to '],
    ]);
  });
}

test('a project that is made as a mirror tells of what it follows', async () => {
  const json = { name: 'follower', import_url: at('from', 'ann:sesame'), mirror: true };
  const events = await auditOf(app, async () => expectStatus(await app.post('/projects', { json }), 201));
  assert.doesNotMatch(JSON.stringify(events), SECRETS);
  assert.deepEqual(events.map(({ event_name }) => event_name).sort(), [
    'project_created',
    'project_import_url_updated',
    'project_mirror_updated',
    'project_mirror_user_id_updated',
  ]);
});
