import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Rule {
  id: number;
  package_name_pattern: string;
}

let app: TestApp;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'private' });
  staff = await app.make.members(project);
});
after(() => app.close());

const rules = () => `/projects/${project.id}/packages/protection/rules`;
const add = async (json: object) => expectStatus<Rule>(await app.post(rules(), { json }), 201);
const put = (name: string, who: { token: string }, file = 'f') =>
  app.put(`/projects/${project.id}/packages/generic/${name}/1.0/${file}`, {
    token: who.token,
    body: 'x',
    headers: { 'content-type': 'application/octet-stream' },
  });

describe('package protection rules', () => {
  test('are made, listed, changed and removed', async () => {
    const rule = await add({
      package_name_pattern: '@flight/*',
      package_type: 'npm',
      minimum_access_level_for_push: 'maintainer',
    });
    assert.deepEqual(rule, {
      id: rule.id,
      project_id: project.id,
      package_name_pattern: '@flight/*',
      package_type: 'npm',
      minimum_access_level_for_delete: null,
      minimum_access_level_for_push: 'maintainer',
    });
    assert.deepEqual(expectStatus(await app.get(rules()), 200), [rule]);
    const at = `${rules()}/${rule.id}`;
    const changes = { minimum_access_level_for_push: null, minimum_access_level_for_delete: 'owner' };
    const changed = expectStatus<Rule>(await app.request('PATCH', at, { json: changes }), 200);
    assert.deepEqual(changed, { ...rule, ...changes });
    const other = { package_name_pattern: 'x-*', package_type: 'generic' };
    assert.deepEqual(expectStatus(await app.request('PATCH', at, { json: other }), 200), { ...changed, ...other });
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' };
    expectStatus(await app.request('DELETE', at, { headers }), 412);
    expectStatus(await app.request('DELETE', at), 204);
    expectStatus(await app.request('DELETE', at), 404);
    expectStatus(await app.request('PATCH', at, { json: other }), 404);
    assert.deepEqual(expectStatus(await app.get(rules()), 200), []);
  });

  test('are refused where they say nothing, or what is said already', async () => {
    const good = {
      package_name_pattern: 'said',
      package_type: 'generic',
      minimum_access_level_for_push: 'owner',
    };
    const { id } = await add(good);
    for (const [json, status, message] of [
      [good, 422, 'Package name pattern has already been taken'],
      [{ ...good, package_name_pattern: ' ' }, 422, "Package name pattern can't be blank"],
      [
        { ...good, package_name_pattern: 'x'.repeat(256) },
        422,
        'Package name pattern is too long (maximum is 255 characters)',
      ],
      [
        { ...good, package_name_pattern: 'a b', package_type: 'npm' },
        422,
        'Package name pattern should be a valid NPM package name with optional wildcard characters.',
      ],
      [
        { ...good, package_name_pattern: 'a/b', package_type: 'pypi' },
        422,
        'Package name pattern should be a valid PyPI package name with optional wildcard characters.',
      ],
      [
        { package_name_pattern: 'x', package_type: 'generic' },
        400,
        'minimum_access_level_for_push, minimum_access_level_for_delete are missing, at least one parameter must be provided',
      ],
      [{ ...good, package_type: 'composer' }, 400, 'package_type does not have a valid value'],
      [
        { ...good, minimum_access_level_for_push: 'developer' },
        400,
        'minimum_access_level_for_push does not have a valid value',
      ],
      [
        { ...good, minimum_access_level_for_delete: 'maintainer' },
        400,
        'minimum_access_level_for_delete does not have a valid value',
      ],
    ] as const) {
      const response = expectStatus<{ message: string }>(await app.post(rules(), { json }), status);
      assert.equal(response.message, message);
    }
    const none = { minimum_access_level_for_push: null };
    const response = expectStatus<{ message: string }>(
      await app.request('PATCH', `${rules()}/${id}`, { json: none }),
      422,
    );
    assert.equal(response.message, 'A rule must have at least a minimum access role for push or delete.');
    const second = await add({ ...good, package_name_pattern: 'second' });
    expectStatus(
      await app.request('PATCH', `${rules()}/${second.id}`, { json: { package_name_pattern: 'said' } }),
      422,
    );
    const unchanged = expectStatus<Rule[]>(await app.get(rules()), 200);
    assert.deepEqual(
      unchanged.map(({ package_name_pattern }) => package_name_pattern),
      ['said', 'second'],
    );
    const foreign = await app.make.project();
    const elsewhere = `/projects/${foreign.id}/packages/protection/rules/${id}`;
    expectStatus(await app.request('PATCH', elsewhere, { json: { package_name_pattern: 'x' } }), 404);
    expectStatus(await app.request('DELETE', elsewhere), 404);
  });

  test('are for Maintainers', async () => {
    const json = { package_name_pattern: 'm', package_type: 'generic', minimum_access_level_for_push: 'owner' };
    for (const [token, status] of [
      [null, 401],
      [staff.stranger.token, 404],
      [staff.guest.token, 403],
      [staff.reporter.token, 403],
      [staff.developer.token, 403],
    ] as const) {
      expectStatus(await app.get(rules(), { token }), status);
      expectStatus(await app.post(rules(), { token, json }), status);
    }
    expectStatus(await app.get(rules(), { token: staff.maintainer.token }), 200);
    expectStatus(await app.post(rules(), { token: staff.maintainer.token, json }), 201);
  });

  test('keep those below their role from publishing new and existing packages', async () => {
    expectStatus(await put('guarded-old', staff.developer), 201);
    await add({
      package_name_pattern: 'Guarded-*',
      package_type: 'generic',
      minimum_access_level_for_push: 'maintainer',
    });
    for (const name of ['guarded-old', 'guarded-new', 'GUARDED-new']) {
      const refused = expectStatus<{ message: string }>(await put(name, staff.developer, 'g'), 403);
      assert.equal(refused.message, '403 Forbidden - Package protected.');
      expectStatus(await put(name, staff.maintainer, 'h'), 201);
    }
    expectStatus(await put('unguarded-x', staff.developer), 201);
    const { token } = expectStatus<{ token: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, {
        json: { name: 'd', scopes: ['write_package_registry'] },
      }),
      201,
    );
    const asDeployToken = (name: string) =>
      app.put(`/projects/${project.id}/packages/generic/${name}/1.0/f`, {
        token: null,
        body: 'x',
        headers: { 'deploy-token': token, 'content-type': 'application/octet-stream' },
      });
    expectStatus(await asDeployToken('guarded-old'), 403);
    expectStatus(await asDeployToken('unguarded-x'), 201);
    const { body } = await app.get(`/projects/${project.id}/packages?package_name=guarded-old`);
    const [old] = JSON.parse(body) as { id: number }[];
    const files = (await app.get(`/projects/${project.id}/packages/${old!.id}/package_files`)).json<
      { file_name: string }[]
    >();
    assert.deepEqual(
      files.map(({ file_name }) => file_name),
      ['f', 'h'],
      'what was refused left nothing',
    );
  });

  test('keep those below their role from deleting packages and files', async () => {
    expectStatus(await put('lasting', staff.developer), 201);
    await add({ package_name_pattern: 'last*', package_type: 'generic', minimum_access_level_for_delete: 'admin' });
    const [one] = (await app.get(`/projects/${project.id}/packages?package_name=lasting`)).json<{ id: number }[]>();
    const at = `/projects/${project.id}/packages/${one!.id}`;
    const [file] = (await app.get(`${at}/package_files`)).json<{ id: number }[]>();
    for (const path of [at, `${at}/package_files/${file!.id}`]) {
      const refused = await app.request('DELETE', path, { token: staff.owner.token });
      assert.equal(
        expectStatus<{ message: string }>(refused, 403).message,
        '403 Forbidden - Package is deletion protected.',
      );
    }
    expectStatus(await app.request('DELETE', `${at}/package_files/${file!.id}`), 204);
    expectStatus(await app.request('DELETE', at), 204);
  });
});
