import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let group: Namespace;
let open: number;
let closed: number;
let closedProject: Project;
let admin: string;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group({ visibility: 'public' });
  open = (await app.make.project({ namespace: group, visibility: 'public' })).id;
  const project = await app.make.project({ namespace: group, visibility: 'private' });
  closed = project.id;
  closedProject = project;
  staff = await app.make.members(project);
  admin = (await app.make.user({ admin: true })).token;
});
after(() => app.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
function upload(project: number, name: string, content: string, headers: Record<string, string>) {
  const form = multipart(
    { name, version: '1.0' },
    { field: 'content', name: `${name}-1.0.whl`, bytes: Buffer.from(content) },
  );
  return app.post(`/projects/${project}/packages/pypi`, {
    token: null,
    ...form,
    headers: { ...form.headers, ...headers },
  });
}
const publish = async (project: number, name: string, content: string) =>
  expectStatus(await upload(project, name, content, { 'private-token': admin }), 201);
const ofGroup = (rest: string, token: string | null, id = group.id) =>
  app.get(`/groups/${id}/-/packages/pypi${rest}`, { token });

describe('the index of a group', () => {
  test('shows what the caller may read of all its projects', async () => {
    await publish(open, 'shown', 'shown');
    await publish(closed, 'hidden', 'hidden');
    for (const [token, seen] of [
      [null, false],
      [staff.stranger.token, false],
      [staff.guest.token, false],
      [staff.reporter.token, true],
      [staff.owner.token, true],
      [admin, true],
    ] as const) {
      const index = await ofGroup('/simple', token);
      assert.equal(index.statusCode, 200);
      assert.match(index.body, /\/groups\/\d+\/-\/packages\/pypi\/simple\/shown\//);
      assert.equal(index.body.includes('/hidden/'), seen);
      assert.equal((await ofGroup('/simple/shown/', token)).statusCode, 200);
      assert.equal((await ofGroup('/simple/hidden/', token)).statusCode, seen ? 200 : 404);
      const file = `/files/${sha256('hidden')}/hidden-1.0.whl`;
      assert.equal((await ofGroup(file, token)).statusCode, seen ? 200 : 404);
      assert.equal((await ofGroup(`/files/${sha256('shown')}/shown-1.0.whl`, token)).body, 'shown');
    }
    const page = await ofGroup('/simple/hidden', staff.reporter.token);
    assert.ok(
      page.body.includes(`/groups/${group.id}/-/packages/pypi/files/${sha256('hidden')}/hidden-1.0.whl#sha256=`),
    );
  });

  test('joins the projects that have a name, the last file of a name shown', async () => {
    await publish(closed, 'both', 'older');
    await publish(open, 'both', 'newer');
    const { body } = await ofGroup('/simple/both', admin);
    assert.equal(body.match(/<a /g)?.length, 1);
    assert.ok(body.includes(sha256('newer')));
    const before = await app.get(`/groups/${group.id}/-/packages/pypi/simple/both`, { token: null });
    assert.ok(before.body.includes(sha256('newer')));
  });

  test('of a closed group is not there for others', async () => {
    const hidden = await app.make.group({ visibility: 'private' });
    const { user, token } = await app.make.user();
    await app.make.member({ group: hidden }, user, 20);
    for (const rest of ['/simple', '/simple/x', `/files/${sha256('x')}/x.whl`]) {
      const anonymous = await ofGroup(rest, null, hidden.id);
      expectStatus(anonymous, 401);
      assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
      expectStatus(await ofGroup(rest, staff.owner.token, hidden.id), 404);
    }
    assert.equal((await ofGroup('/simple', token, hidden.id)).statusCode, 200);
    expectStatus(await ofGroup('/simple/none', token, hidden.id), 404);
  });
});

describe('tokens', () => {
  const basic = (name: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
  });
  const deployToken = async (scopes: string[]) =>
    expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${closed}/deploy_tokens`, { json: { name: 'deploy', scopes } }),
      201,
    );

  test('of all kinds publish and read, as the tools send them', async () => {
    const writes = await deployToken(['write_package_registry']);
    const reads = await deployToken(['read_package_registry']);
    const good: Record<string, string>[] = [
      basic('__token__', staff.developer.token),
      basic(writes.username, writes.token),
      { 'deploy-token': writes.token },
      { 'private-token': staff.developer.token },
      { authorization: `Bearer ${staff.developer.token}` },
    ];
    for (const [n, headers] of good.entries()) expectStatus(await upload(closed, `token${n}`, 'x', headers), 201);
    expectStatus(await upload(closed, 'reads', 'x', basic(reads.username, reads.token)), 403);
    expectStatus(await upload(closed, 'other', 'x', basic('other', writes.token)), 401);
    for (const headers of [...good, basic(reads.username, reads.token), { 'deploy-token': reads.token }]) {
      const path = `/projects/${closed}/packages/pypi/simple/token0/`;
      assert.equal((await app.get(path, { token: null, headers })).statusCode, 200);
    }
    expectStatus(
      await app.get(`/projects/${closed}/packages/pypi/simple`, { token: null, headers: basic('a', 'b') }),
      401,
    );
  });
});

test('a job publishes as its user, and the package knows the pipeline', async () => {
  const held = await holdJob(app, closedProject, { columns: { user_id: staff.developer.user.id } });
  const guest = await holdJob(app, closedProject, { columns: { user_id: staff.guest.user.id } });
  const authorization = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`gitlab-ci-token:${secret}`).toString('base64')}`,
  });
  expectStatus(await upload(closed, 'by-job', 'x', authorization(held.token)), 201);
  expectStatus(await upload(closed, 'by-job2', 'x', { 'job-token': held.token }), 201);
  expectStatus(await upload(closed, 'by-guest', 'x', authorization(guest.token)), 403);
  const path = `/projects/${closed}/packages/pypi/simple/by-job/`;
  assert.equal((await app.get(path, { token: null, headers: authorization(held.token) })).statusCode, 200);
  const rows = await app.deps.db
    .selectFrom('package_pipelines')
    .innerJoin('packages', 'packages.id', 'package_pipelines.package_id')
    .select('pipeline_id')
    .where('package_file_id', 'is', null)
    .where('packages.name', '=', 'by-job')
    .execute();
  assert.deepEqual(
    rows.map(({ pipeline_id }) => pipeline_id),
    [held.pipeline.id],
  );
});

describe('a rule that protects a name', () => {
  test('holds for every spelling of it', async () => {
    const now = app.deps.clock.now().toISOString();
    await app.deps.db
      .insertInto('package_protection_rules')
      .values({
        project_id: closed,
        package_type: 'pypi',
        package_name_pattern: 'Kept_lib*',
        minimum_access_level_for_push: 'maintainer',
        minimum_access_level_for_delete: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
    for (const name of ['kept-lib', 'KEPT.LIB', 'kept__lib-more']) {
      const refused = await upload(closed, name, 'x', { 'private-token': staff.developer.token });
      assert.equal(expectStatus<{ message: string }>(refused, 403).message, '403 Forbidden - Package protected.');
    }
    expectStatus(await upload(closed, 'kept-lib', 'x', { 'private-token': staff.maintainer.token }), 201);
  });
});
