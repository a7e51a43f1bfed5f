import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { payloadsOf, projectShown, ROOT_SHOWN, readAs, sentPayloadsOf } from '../../../../test/support/payloads.ts';
import { sampleEvent } from './sample.ts';

type Payload = Record<string, unknown>;

let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

async function world() {
  const project = await app.make.project();
  const shown = projectShown(app, { ...project, namespace: 'Administrator' });
  const path = `/projects/${project.id}`;
  const place = { projectId: project.id };
  return { project, shown, path, place, web: `${app.deps.externalUrl()}/${project.full_path}` };
}

test('pages of a wiki are told with their text as they are made, changed and removed', async () => {
  const { project, shown, path, place, web } = await world();
  await assert.rejects(sampleEvent(app.deps, place, 'wiki_page', 1), { status: 422 });
  const sent = await sentPayloadsOf(app, async () => {
    expectStatus(await app.post(`${path}/wikis`, { json: { title: 'Home page', content: 'First' } }), 201);
    expectStatus(await app.put(`${path}/wikis/Home-page`, { json: { title: 'Home page', content: 'Second' } }), 200);
    expectStatus(await app.delete(`${path}/wikis/Home-page`), 204);
  });
  const payloads = payloadsOf<{ object_attributes: Payload }>(sent, 'wiki_page');
  assert.deepEqual(
    payloads.map(({ object_attributes: { action, content, title } }) => [action, content, title]),
    [
      ['create', 'First', 'Home page'],
      ['update', 'Second', 'Home page'],
      ['delete', 'Second', 'Home page'],
    ],
  );
  const { version_id, message } = payloads[0]!.object_attributes;
  assert.match(String(version_id), /^[0-9a-f]{40}$/);
  const url = `${web}/-/wikis/Home-page`;
  assert.deepEqual(payloads[0], {
    object_kind: 'wiki_page',
    user: ROOT_SHOWN,
    project: { ...shown, default_branch: 'main' },
    wiki: {
      web_url: `${web}/-/wikis/home`,
      git_ssh_url: shown.ssh_url.replace(/\.git$/, '.wiki.git'),
      git_http_url: `${web}.wiki.git`,
      path_with_namespace: `${project.full_path}.wiki`,
      default_branch: 'main',
    },
    object_attributes: {
      title: 'Home page',
      content: 'First',
      format: 'markdown',
      message,
      slug: 'Home-page',
      url,
      action: 'create',
      diff_url: `${url}/diff?version_id=${version_id}`,
      version_id,
    },
  });
  expectStatus(await app.post(`${path}/wikis`, { json: { title: 'Again', content: 'Third' } }), 201);
  const sample = await sampleEvent(app.deps, place, 'wiki_page', 1);
  assert.equal((sample.payload.object_attributes as Payload).content, 'Third');
});

test('pages of the wiki of a group are told to the hooks of the group', async () => {
  const group = await app.make.group();
  const sent = await sentPayloadsOf(app, () =>
    app.post(`/groups/${group.id}/wikis`, { json: { title: 'Ours', content: 'Text' } }),
  );
  assert.deepEqual([sent.hooks[0]!.projectId, sent.hooks[0]!.groupId], [null, group.id]);
  assert.deepEqual(sent.hooks[0]!.payload.group, {
    group_name: group.name,
    group_path: group.path,
    group_id: group.id,
    full_path: group.full_path,
  });
});

test('releases are told as they are made, changed and deleted', async () => {
  const { shown, path, place, web, project } = await world();
  const { id: sha } = await commitFiles(app, project.id, { a: 'a' }, { commit_message: 'First' });
  await assert.rejects(sampleEvent(app.deps, place, 'releases', 1), { message: 'Ensure the project has releases.' });
  const sent = await sentPayloadsOf(app, async () => {
    const links = [{ name: 'Manual', url: 'https://example.org/manual' }];
    const release = { tag_name: 'v1', ref: 'main', name: 'One', description: 'All new', assets: { links } };
    expectStatus(await app.post(`${path}/releases`, { json: release }), 201);
    expectStatus(await app.put(`${path}/releases/v1`, { json: { name: 'Uno' } }), 200);
    expectStatus(await app.delete(`${path}/releases/v1`), 200);
  });
  const payloads = payloadsOf<Payload>(sent, 'releases');
  assert.deepEqual(
    payloads.map(({ action, name }) => [action, name]),
    [
      ['create', 'One'],
      ['update', 'Uno'],
      ['delete', 'Uno'],
    ],
  );
  const { id, commit, ...rest } = payloads[0]!;
  assert.ok(Number.isInteger(id));
  assert.equal((commit as Payload).id, sha);
  const archive = `${web}/-/archive/v1/${project.path}-v1`;
  assert.deepEqual(rest, {
    created_at: '2026-06-15 12:00:00 UTC',
    description: 'All new',
    name: 'One',
    released_at: '2026-06-15 12:00:00 UTC',
    tag: 'v1',
    object_kind: 'release',
    project: shown,
    url: `${web}/-/releases/v1`,
    action: 'create',
    assets: {
      // Links are told as they are, and they went with the release.
      count: 4,
      links: [],
      sources: ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({ format, url: `${archive}.${format}` })),
    },
  });
  expectStatus(await app.post(`${path}/releases`, { json: { tag_name: 'v1', description: 'Again' } }), 201);
  const links = { name: 'Manual', url: 'https://example.org/manual' };
  expectStatus(await app.post(`${path}/releases/v1/assets/links`, { json: links }), 201);
  const { payload } = await sampleEvent(app.deps, place, 'releases', 1);
  const { assets } = readAs<{ assets: { count: number; links: Payload[] } }>(payload);
  assert.deepEqual(
    [assets.count, assets.links.map(({ id: _, ...link }) => link)],
    [5, [{ external: true, link_type: 'other', ...links }]],
  );
});

test('milestones are told as they are made, closed, opened again and removed', async () => {
  const { shown, path, place, project } = await world();
  await assert.rejects(sampleEvent(app.deps, place, 'milestone', 1), {
    message: 'Ensure the project has milestones.',
  });
  let id = 0;
  const sent = await sentPayloadsOf(app, async () => {
    const json = { title: 'v1', due_date: '2030-01-02' };
    id = expectStatus<{ id: number }>(await app.post(`${path}/milestones`, { json }), 201).id;
    for (const state_event of ['close', 'activate']) {
      expectStatus(await app.put(`${path}/milestones/${id}`, { json: { state_event } }), 200);
    }
    expectStatus(await app.put(`${path}/milestones/${id}`, { json: { title: 'v2' } }), 200);
    expectStatus(await app.delete(`${path}/milestones/${id}`), 204);
  });
  const payloads = payloadsOf<Payload>(sent, 'milestone');
  assert.deepEqual(
    payloads.map(({ action }) => action),
    ['create', 'close', 'reopen', 'delete'],
  );
  assert.deepEqual(payloads[0], {
    object_kind: 'milestone',
    event_type: 'milestone',
    project: shown,
    object_attributes: {
      id,
      iid: 1,
      title: 'v1',
      description: '',
      state: 'active',
      created_at: '2026-06-15 12:00:00 UTC',
      updated_at: '2026-06-15 12:00:00 UTC',
      due_date: '2030-01-02',
      start_date: null,
      group_id: null,
      project_id: project.id,
    },
    action: 'create',
  });
  const group = await app.make.group();
  const ofGroup = await sentPayloadsOf(app, () =>
    app.post(`/groups/${group.id}/milestones`, { json: { title: 'Ours' } }),
  );
  assert.deepEqual([ofGroup.hooks[0]!.projectId, ofGroup.hooks[0]!.groupId], [null, group.id]);
});

test('feature flags are told when they are switched, and not of anything else', async () => {
  const { shown, path, place } = await world();
  await assert.rejects(sampleEvent(app.deps, place, 'feature_flag', 1), {
    message: 'Ensure the project has feature flags.',
  });
  const sent = await sentPayloadsOf(app, async () => {
    const json = { name: 'new_cart', description: 'Cart' };
    expectStatus(await app.post(`${path}/feature_flags`, { json }), 201);
    expectStatus(await app.put(`${path}/feature_flags/new_cart`, { json: { description: 'The cart' } }), 200);
    expectStatus(await app.put(`${path}/feature_flags/new_cart`, { json: { active: false } }), 200);
    expectStatus(await app.put(`${path}/feature_flags/new_cart`, { json: { active: true } }), 200);
  });
  const payloads = payloadsOf<{ object_attributes: Payload }>(sent, 'feature_flag');
  assert.deepEqual(
    payloads.map(({ object_attributes: { active } }) => active),
    [false, true],
  );
  const { id } = payloads[0]!.object_attributes;
  assert.deepEqual(payloads[0], {
    object_kind: 'feature_flag',
    project: shown,
    user: ROOT_SHOWN,
    user_url: `${app.deps.externalUrl()}/root`,
    object_attributes: { id, name: 'new_cart', description: 'The cart', active: false },
  });
  assert.equal((await sampleEvent(app.deps, place, 'feature_flag', 1)).header, 'Feature Flag Hook');
});
