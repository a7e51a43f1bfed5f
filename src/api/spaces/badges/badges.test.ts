import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const PLAIN = { link_url: 'https://example.org/link', image_url: 'https://example.org/picture.svg' };

test('badges of a project are made, shown, changed and removed', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/badges`;
  const created = expectStatus<Json>(await app.post(path, { json: { ...PLAIN, name: 'Coverage' } }), 201);
  const shown = {
    name: 'Coverage',
    ...PLAIN,
    rendered_link_url: PLAIN.link_url,
    rendered_image_url: PLAIN.image_url,
    id: created.id,
    kind: 'project',
  };
  assert.deepEqual(created, shown);
  assert.deepEqual(expectStatus(await app.get(`${path}/${created.id}`), 200), shown);
  const changed = expectStatus<Json>(await app.put(`${path}/${created.id}`, { json: { name: null } }), 200);
  assert.deepEqual(changed, { ...shown, name: null });
  expectStatus(await app.post(path, { json: { ...PLAIN, name: 'coverage' } }), 201);
  const named = await app.get(path, { query: { name: 'coverage' } });
  assert.equal(expectStatus<Json[]>(named, 200).length, 1);
  assert.equal(expectStatus<Json[]>(await app.get(path, { query: { name: 'Coverage' } }), 200).length, 0);
  expectStatus(await app.delete(`${path}/${created.id}`), 204);
  expectStatus(await app.get(`${path}/${created.id}`), 404);
  expectStatus(await app.put(`${path}/${created.id}`, { json: { name: 'x' } }), 404);
  expectStatus(await app.delete(`${path}/${created.id}`), 404);
});

test('placeholders of badges are filled from the project', async () => {
  const top = await app.make.group({ path: 'badge-top' });
  const sub = await app.make.group({ path: 'sub', parent: top });
  const project = await app.make.project({ namespace: sub, path: 'demo' });
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { a: '1' });
  git.run(['tag', 'v1', 'main']);
  const query = {
    link_url:
      'https://example.org/%{project_path}?t=%{project_title}&n=%{project_name}&id=%{project_id}&ns=%{project_namespace}',
    image_url:
      'https://%{gitlab_server}/%{group_name}/%{default_branch}/%{commit_sha}/%{latest_tag}/%{unknown}/%{constructor}',
  };
  const shown = expectStatus<Json>(await app.get(`/projects/${project.id}/badges/render`, { query }), 200);
  assert.deepEqual(shown, {
    name: null,
    ...query,
    rendered_link_url: `https://example.org/badge-top/sub/demo?t=demo&n=demo&id=${project.id}&ns=badge-top/sub`,
    rendered_image_url: `https://127.0.0.1/badge-top/main/${sha}/v1/%{unknown}/%{constructor}`,
  });
});

test('placeholders from the repository stay as they are for who may not read it', async () => {
  const project = await app.make.project({ visibility: 'public', columns: { repository_access_level: 'private' } });
  new ProjectGit(app, project).commit('main', { a: '1' });
  const image_url = 'https://example.org/%{commit_sha}/%{project_id}';
  expectStatus(await app.post(`/projects/${project.id}/badges`, { json: { ...PLAIN, image_url } }), 201);
  const [badge] = expectStatus<Json[]>(await app.get(`/projects/${project.id}/badges`, { token: null }), 200);
  assert.equal(badge?.rendered_image_url, `https://example.org/%{commit_sha}/${project.id}`);
});

test('a project shows the badges of all groups above it, and cannot change them', async () => {
  const top = await app.make.group();
  const sub = await app.make.group({ parent: top });
  const project = await app.make.project({ namespace: sub });
  const ids: unknown[] = [];
  for (const place of [`groups/${top.id}`, `groups/${sub.id}`, `projects/${project.id}`]) {
    const json = { ...PLAIN, link_url: 'https://example.org/%{project_path}', name: place };
    ids.push(expectStatus<Json>(await app.post(`/${place}/badges`, { json }), 201).id);
  }
  const list = expectStatus<Json[]>(await app.get(`/projects/${project.id}/badges`), 200);
  assert.deepEqual(
    list.map(({ id, kind, rendered_link_url }) => [id, kind, rendered_link_url]),
    [
      [ids[0], 'group', `https://example.org/${project.full_path}`],
      [ids[1], 'group', `https://example.org/${project.full_path}`],
      [ids[2], 'project', `https://example.org/${project.full_path}`],
    ],
  );
  assert.equal(expectStatus<Json[]>(await app.get(`/groups/${sub.id}/badges`), 200).length, 1);
  const inherited = `/projects/${project.id}/badges/${ids[0]}`;
  expectStatus(await app.get(inherited), 200);
  expectStatus(await app.put(inherited, { json: { name: 'x' } }), 403);
  expectStatus(await app.delete(inherited), 403);
  expectStatus(await app.get(`/groups/${sub.id}/badges/${ids[0]}`), 404);
});

test("a group's badges are filled from its oldest project, when the caller may see that", async () => {
  const group = await app.make.group({ visibility: 'public' });
  const path = `/groups/${group.id}/badges`;
  const link_url = 'https://example.org/%{project_path}';
  expectStatus(await app.post(path, { json: { ...PLAIN, link_url } }), 201);
  const rendered = async (token?: null) =>
    expectStatus<Json[]>(await app.get(path, token === null ? { token } : {}), 200)[0]?.rendered_link_url;
  assert.equal(await rendered(), link_url);
  const project = await app.make.project({ namespace: group });
  assert.equal(await rendered(), `https://example.org/${project.full_path}`);
  assert.equal(await rendered(null), link_url);
});

test('addresses of badges must be addresses of the web', async () => {
  const { id } = await app.make.project();
  const message = async (json: Json, status = 400) =>
    expectStatus<Json>(await app.post(`/projects/${id}/badges`, { json }), status).message;
  assert.equal(await message({ image_url: PLAIN.image_url }), 'link_url is missing, link_url is empty');
  const blocked = 'is blocked: Only allowed schemes are http, https';
  assert.equal(await message({ ...PLAIN, link_url: 'javascript:alert(1)' }), `link_url ${blocked}`);
  assert.equal(await message({ ...PLAIN, image_url: 'nothing' }), 'image_url must be a valid URL');
  expectStatus(await app.post(`/projects/${id}/badges`, { json: { ...PLAIN, link_url: null } }), 400);
  const render = await app.get(`/projects/${id}/badges/render`, { query: { ...PLAIN, link_url: 'x' } });
  expectStatus(render, 400);
});

test('who may see and who may manage badges', async () => {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const path = `/projects/${project.id}/badges`;
  const { id } = expectStatus<Json>(await app.post(path, { json: PLAIN }), 201);
  for (const [name, see, manage] of [
    ['stranger', 404, 404],
    ['guest', 200, 403],
    ['planner', 200, 403],
    ['reporter', 200, 403],
    ['developer', 200, 403],
    ['maintainer', 200, 200],
    ['owner', 200, 200],
  ] as const) {
    const { token } = people[name];
    expectStatus(await app.get(path, { token }), see);
    expectStatus(await app.get(`${path}/${id}`, { token }), see);
    expectStatus(await app.get(`${path}/render`, { token, query: PLAIN }), manage);
    expectStatus(await app.put(`${path}/${id}`, { token, json: { name } }), manage);
    expectStatus(await app.post(path, { token, json: PLAIN }), manage === 200 ? 201 : manage);
  }
  expectStatus(await app.get(path, { token: null }), 404);
  const open = await app.make.project({ visibility: 'public' });
  expectStatus(await app.get(`/projects/${open.id}/badges`, { token: null }), 200);
  expectStatus(await app.post(`/projects/${open.id}/badges`, { token: null, json: PLAIN }), 401);

  const { group, owner, maintainer } = await staffedGroup(app);
  expectStatus(await app.post(`/groups/${group.id}/badges`, { token: maintainer.token, json: PLAIN }), 403);
  expectStatus(await app.post(`/groups/${group.id}/badges`, { token: owner.token, json: PLAIN }), 201);
  expectStatus(await app.get(`/groups/${group.id}/badges`, { token: people.stranger.token }), 404);
});
