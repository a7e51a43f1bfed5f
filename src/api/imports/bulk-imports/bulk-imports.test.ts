import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { closedAddress } from '../../../../test/support/file-server.ts';
import { askImport, drainBoth } from '../../../../test/support/imports.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  url = await app.listen();
  expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: true } }), 200);
});
after(() => app.close());

const message = (response: Awaited<ReturnType<TestApp['get']>>, status: number) =>
  String(expectStatus<Json>(response, status).message);
const ask = (entity: Json = {}, { from = url, ...options }: { from?: string; access?: string; token?: string } = {}) =>
  askImport(app, from, entity, options);
/** Runs an import. @returns its entities afterwards */
async function bring(entity: Json = {}, token?: string): Promise<Json[]> {
  const made = expectStatus<Json>(await ask(entity, token === undefined ? {} : { token }), 201);
  await app.drain();
  const shown = expectStatus<Json>(await app.get(`/bulk_imports/${made.id}`), 200);
  assert.notEqual(shown.status, 'started', app.logLines.join('').slice(-3_000));
  return expectStatus<Json[]>(await app.get(`/bulk_imports/${made.id}/entities`, { query: { per_page: 100 } }), 200);
}
const shownNotes = async (path: string) =>
  expectStatus<Json[]>(await app.get(`${path}/notes`, { query: { sort: 'asc', order_by: 'created_at' } }), 200).map(
    ({ body, system, created_at }) => ({ body, system, created_at }),
  );

describe('a group', () => {
  test('comes with its settings, and lets its projects in', async () => {
    const top = await app.make.group({ path: 'settled' });
    await app.make.project({ namespace: top, path: 'tool' });
    const settings = {
      request_access_enabled: false,
      project_creation_level: 'noone',
      subgroup_creation_level: 'owner',
      emails_enabled: false,
      mentions_disabled: true,
      lfs_enabled: false,
      share_with_group_lock: true,
      prevent_sharing_groups_outside_hierarchy: true,
      default_branch: 'trunk',
    };
    expectStatus(await app.put(`/groups/${top.id}`, { json: { ...settings, ldap_cn: 'admins' } }), 200);
    const entities = await bring({ source_full_path: 'settled', destination_slug: 'settled-copy' });
    assert.deepEqual(
      entities.map(({ status, has_failures }) => [status, has_failures]),
      [
        ['finished', false],
        ['finished', false],
      ],
    );
    const copy = expectStatus<Json>(await app.get('/groups/settled-copy'), 200);
    const names = Object.keys(settings);
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, copy[name]])), {
      ...settings,
      project_creation_level: 'owner',
    });
    assert.equal(copy.ldap_cn, null);
    const alone = await bring({
      source_full_path: 'settled',
      destination_slug: 'settled-alone',
      migrate_projects: false,
    });
    assert.equal(alone[0]!.status, 'finished');
    assert.equal(expectStatus<Json>(await app.get('/groups/settled-alone'), 200).project_creation_level, 'noone');
  });

  test('comes with its subgroups, projects, people and all that is in them', async () => {
    const ann = await app.make.user({ username: 'ann' });
    const top = await app.make.group({ path: 'source' });
    const sub = await app.make.group({ path: 'inner', parent: top });
    const project = await app.make.project({ namespace: sub, path: 'tool' });
    await app.make.member({ group: top }, ann.user, 30);
    const git = new ProjectGit(app, project);
    const base = git.commit('main', { 'a.txt': 'a' });
    git.commit('change', { 'b.txt': 'b' }, { start: base });
    const place = `/projects/${project.id}`;
    expectStatus(await app.post(`/groups/${top.id}/labels`, { json: { name: 'wide', color: '#112233' } }), 201);
    expectStatus(await app.post(`/groups/${top.id}/milestones`, { json: { title: 'together' } }), 201);
    const badge = { link_url: 'https://example.org/', image_url: 'https://example.org/b.svg' };
    expectStatus(await app.post(`/groups/${top.id}/badges`, { json: badge }), 201);
    const issue = { title: 'Größe ☃', description: 'see ☃', labels: 'wide,own', weight: 3 };
    const ownIssue = { ...issue, assignee_ids: [ann.user.id], confidential: true };
    expectStatus(await app.post(`${place}/issues`, { token: ann.token, json: ownIssue }), 201);
    expectStatus(await app.post(`${place}/issues`, { json: { title: 'Second', iid: 7 } }), 201);
    const note = expectStatus<Json>(
      await app.post(`${place}/issues/1/notes`, { token: ann.token, json: { body: 'A word' } }),
      201,
    );
    expectStatus(await app.post(`${place}/issues/1/notes/${note.id}/award_emoji`, { json: { name: 'rocket' } }), 201);
    expectStatus(await app.post(`${place}/issues/1/award_emoji`, { json: { name: 'thumbsup' } }), 201);
    expectStatus(await app.post(`${place}/issues/1/add_spent_time`, { json: { duration: '1h' } }), 201);
    expectStatus(await app.put(`${place}/issues/1`, { token: ann.token, json: { state_event: 'close' } }), 200);
    await makeMergeRequest(app, project, { source_branch: 'change', title: 'Change', author_id: ann.user.id });
    expectStatus(await app.post(`${place}/merge_requests/1/notes`, { json: { body: 'Good' } }), 201);
    expectStatus(
      await app.post(`${place}/releases`, { json: { tag_name: 'v1', ref: 'main', description: 'First' } }),
      201,
    );
    expectStatus(await app.post(`${place}/repository/commits/${base}/comments`, { json: { note: 'On it' } }), 201);
    expectStatus(await app.post(`${place}/protected_tags`, { json: { name: 'v*', create_access_level: 30 } }), 201);
    await app.drain();

    const entities = await bring();
    assert.deepEqual(
      entities.map(({ entity_type, destination_full_path, status, failures }) => [
        entity_type,
        destination_full_path,
        status,
        failures,
      ]),
      [
        ['group', 'copy', 'finished', []],
        ['group', 'copy/inner', 'finished', []],
        ['project', 'copy/inner/tool', 'finished', []],
      ],
    );
    const stats = entities[2]!.stats as Record<string, Json>;
    assert.deepEqual(stats.issues, { source: 2, fetched: 2, imported: 2 });

    const copied = `/projects/${encodeURIComponent('copy/inner/tool')}`;
    const copiedIssue = expectStatus<Json>(await app.get(`${copied}/issues/1`), 200);
    const was = expectStatus<Json>(await app.get(`${place}/issues/1`), 200);
    for (const key of [
      'title',
      'description',
      'state',
      'weight',
      'confidential',
      'created_at',
      'updated_at',
      'closed_at',
      'labels',
      'upvotes',
      'user_notes_count',
      'time_stats',
    ]) {
      assert.deepEqual(copiedIssue[key], was[key], key);
    }
    const author = copiedIssue.author as Json;
    assert.match(String(author.username), /^ann_placeholder_[0-9a-z]+$/);
    assert.equal(author.name, `Placeholder ${ann.user.name}`);
    assert.deepEqual(
      (copiedIssue.assignees as Json[]).map(({ id }) => id),
      [author.id],
    );
    assert.deepEqual(await shownNotes(`${copied}/issues/1`), await shownNotes(`${place}/issues/1`));
    assert.equal(expectStatus<Json[]>(await app.get(`${copied}/issues`), 200).length, 2);
    const next = expectStatus<Json>(await app.post(`${copied}/issues`, { json: { title: 'Third' } }), 201);
    assert.equal(next.iid, 8);
    const request = expectStatus<Json>(await app.get(`${copied}/merge_requests/1`), 200);
    const wasRequest = expectStatus<Json>(await app.get(`${place}/merge_requests/1`), 200);
    assert.deepEqual(
      [request.title, request.state, request.sha, request.changes_count],
      [wasRequest.title, 'opened', wasRequest.sha, '1'],
    );
    assert.deepEqual(await shownNotes(`${copied}/merge_requests/1`), await shownNotes(`${place}/merge_requests/1`));
    const release = expectStatus<Json>(await app.get(`${copied}/releases/v1`), 200);
    assert.equal(release.description, 'First');
    assert.equal(
      expectStatus<Json[]>(await app.get(`${copied}/repository/commits/${base}/comments`), 200)[0]!.note,
      'On it',
    );
    assert.equal(expectStatus<Json[]>(await app.get(`${copied}/protected_tags`), 200)[0]!.name, 'v*');
    assert.equal((await app.get(`${copied}/repository/files/b.txt/raw`, { query: { ref: 'change' } })).body, 'b');
    const labels = expectStatus<Json[]>(await app.get('/groups/copy/labels'), 200);
    assert.deepEqual(
      labels.map(({ name, color }) => [name, color]),
      [['wide', '#112233']],
    );
    assert.equal(expectStatus<Json[]>(await app.get('/groups/copy/badges'), 200).length, 1);
    assert.equal(expectStatus<Json[]>(await app.get('/groups/copy/members'), 200).length, 1);
    const { token } = await app.deps.db
      .selectFrom('bulk_imports')
      .select('token')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    assert.equal(token, null);
  });

  test('may leave its projects and members where they are', async () => {
    const group = await app.make.group();
    await app.make.project({ namespace: group });
    const [only, ...others] = await bring({
      source_full_path: group.full_path,
      destination_slug: 'alone',
      migrate_projects: false,
      migrate_memberships: false,
    });
    assert.deepEqual([only!.status, others], ['finished', []]);
    const people = await app.deps.db
      .selectFrom('import_source_users')
      .select('id')
      .where('namespace_id', '=', Number(only!.namespace_id))
      .execute();
    assert.deepEqual(people, []);
  });
});

test('files come with their addresses, from one server to another', async () => {
  const other = await buildTestApp();
  try {
    const project = await other.make.project({ namespace: await other.make.group({ path: 'far' }) });
    const place = `/projects/${project.id}`;
    const file = multipart({}, { field: 'file', name: 'a.txt', bytes: Buffer.from('of the upload') });
    const upload = expectStatus<{ url: string; markdown: string }>(await other.post(`${place}/uploads`, file), 201);
    const issue = { title: 'With a file', description: `see ${upload.markdown}` };
    expectStatus(await other.post(`${place}/issues`, { json: issue }), 201);
    const far = { source_full_path: 'far', destination_slug: 'near' };
    const made = expectStatus<Json>(await ask(far, { from: await other.listen() }), 201);
    await drainBoth(app, other);
    const entities = expectStatus<Json[]>(await app.get(`/bulk_imports/${made.id}/entities`), 200);
    assert.deepEqual(
      entities.map(({ status, failures }) => [status, failures]),
      [
        ['finished', []],
        ['finished', []],
      ],
    );
    const copied = `/projects/${entities[1]!.project_id}`;
    assert.equal(expectStatus<Json>(await app.get(`${copied}/issues/1`), 200).description, issue.description);
    assert.equal((await app.get(`${copied}${upload.url}`)).body, 'of the upload');
  } finally {
    await other.close();
  }
});

test('a project comes into a personal namespace, where everything becomes the owner’s', async () => {
  const project = await app.make.project();
  const ann = await app.make.user();
  await app.make.member({ project }, ann.user, 40);
  expectStatus(await app.post(`/projects/${project.id}/issues`, { token: ann.token, json: { title: 'Mine' } }), 201);
  const bea = await app.make.user();
  const [brought] = await bring(
    {
      source_type: 'project_entity',
      source_full_path: project.full_path,
      destination_namespace: bea.user.username,
    },
    bea.token,
  );
  assert.deepEqual([brought!.status, brought!.failures], ['finished', []]);
  const issue = expectStatus<Json>(await app.get(`/projects/${brought!.project_id}/issues/1`), 200);
  assert.equal((issue.author as Json).id, bea.user.id);
});

describe('what cannot come', () => {
  test('is refused before anything is made', async () => {
    const stranger = await app.make.user();
    const group = await app.make.group({ visibility: 'public' });
    const free = { destination_slug: 'free' };
    const json = (more: Json) => ask(more, { token: stranger.token });
    assert.equal(message(await json({ destination_namespace: 'nowhere' }), 404), '404 Group Not Found');
    expectStatus(await json({ destination_namespace: group.full_path }), 403);
    expectStatus(await json({ source_type: 'project_entity', destination_namespace: group.full_path }), 403);
    expectStatus(await json({ source_type: 'project_entity' }), 404);
    assert.match(message(await json({ source_full_path: '../../x' }), 400), /source_full_path/);
    assert.match(
      message(await ask(free, { access: 'glpat-wrong-wrong-wrong' }), 422),
      /does not accept the access token/,
    );
    const relationImport = await app.make.token(1, ['read_api']);
    assert.match(message(await ask(free, { access: relationImport }), 422), /"api" scope/);
    assert.match(message(await ask(free, { from: await closedAddress() }), 422), /Unable to connect/);
    assert.match(message(await ask(free, { from: 'file:///etc/passwd' }), 422), /Only allowed schemes/);
    expectStatus(await app.post('/bulk_imports', { json: {} }), 400);
    assert.equal((await app.post('/bulk_imports', { token: null, json: {} })).statusCode, 401);
  });

  test('fails by itself, with the reason', async () => {
    const [gone] = await bring({ source_full_path: 'not-there', destination_slug: 'gone' });
    assert.equal(gone!.status, 'failed');
    const [failure] = gone!.failures as Json[];
    assert.match(String(failure!.exception_message), /not-there does not exist/);
    const listed = await app.get(`/bulk_imports/${gone!.bulk_import_id}/entities/${gone!.id}/failures`);
    assert.deepEqual(expectStatus<Json[]>(listed, 200), gone!.failures);
  });

  test('is seen by who asked for it alone', async () => {
    const { token } = await app.make.user();
    const made = expectStatus<Json>(await ask({ source_full_path: 'never', destination_slug: 'never' }), 201);
    expectStatus(await app.get(`/bulk_imports/${made.id}`, { token }), 404);
    expectStatus(await app.get(`/bulk_imports/${made.id}/entities`, { token }), 404);
    expectStatus(await app.post(`/bulk_imports/${made.id}/cancel`, { token }), 404);
    assert.deepEqual(expectStatus(await app.get('/bulk_imports', { token }), 200), []);
    assert.deepEqual(expectStatus(await app.get('/bulk_imports/entities', { token }), 200), []);
    const { token: sealed } = await app.deps.db
      .selectFrom('bulk_imports')
      .select('token')
      .where('id', '=', Number(made.id))
      .executeTakeFirstOrThrow();
    assert.ok(sealed !== null && !sealed.includes(ROOT_TOKEN));
    const canceled = expectStatus<Json>(await app.post(`/bulk_imports/${made.id}/cancel`), 200);
    assert.equal(canceled.status, 'canceled');
    await app.drain();
    const [only] = expectStatus<Json[]>(await app.get(`/bulk_imports/${made.id}/entities`), 200);
    assert.deepEqual([only!.status, only!.namespace_id], ['canceled', null]);
    const some = expectStatus<Json[]>(
      await app.get('/bulk_imports', { query: { status: 'canceled', sort: 'asc' } }),
      200,
    );
    assert.deepEqual(
      some.map(({ id }) => id),
      [made.id],
    );
  });

  test('is nothing while administrators have not switched it on', async () => {
    expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: false } }), 200);
    expectStatus(await ask(), 404);
    expectStatus(await app.get('/bulk_imports'), 404);
    expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: true } }), 200);
  });
});
