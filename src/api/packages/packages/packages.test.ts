import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makePackage } from '../../../../test/support/packages.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Shown {
  id: number;
  name: string;
  version: string | null;
  status: string;
  package_type: string;
  project_id?: number;
  project_path?: string;
  last_downloaded_at?: string | null;
  _links: { web_path?: string; delete_api_path?: string };
  tags: { name: string; package_id: number }[];
  pipeline?: { id: number; user: { username: string } | null };
  pipelines: { id: number }[];
  versions?: { id: number; version: string; pipelines: { id: number }[] }[];
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

const make = (options: Parameters<typeof makePackage>[2], where = project) => makePackage(app.deps, where.id, options);
const list = async (where: Project, query: Record<string, string> = {}, token?: string | null) =>
  expectStatus<Shown[]>(
    await app.get(`/projects/${where.id}/packages`, { query, ...(token === undefined ? {} : { token }) }),
    200,
  );
const named = (rows: Shown[]) => rows.map(({ name, version }) => `${name} ${version ?? '-'}`);

/** Enters that jobs of pipelines published a package. */
async function publishedBy(where: Project, packageId: number, times: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const { pipeline } = await makePipeline(app, where, { columns: { user_id: staff.developer.user.id } });
    ids.push(pipeline.id);
  }
  const rows = ids.map((pipeline_id) => ({ package_id: packageId, package_file_id: null, pipeline_id }));
  await app.deps.db.insertInto('package_pipelines').values(rows).execute();
  return ids;
}

describe('the packages of a project', () => {
  test('are listed in every order and with every filter', async () => {
    const where = await app.make.project({ visibility: 'private' });
    const day = (n: number) => `2026-01-0${n}T00:00:00.000Z`;
    await make({ name: 'beta', version: '1.0', type: 'npm', createdAt: day(1) }, where);
    await make({ name: 'Alpha', version: '3.0', type: 'pypi', createdAt: day(2) }, where);
    await make({ name: 'gamma', version: '2.0', type: 'generic', createdAt: day(3) }, where);
    await make({ name: 'meta', version: null, type: 'maven', createdAt: day(4) }, where);
    for (const status of ['hidden', 'processing', 'error', 'deprecated', 'pending_destruction'] as const) {
      await make({ name: status, version: '9.0', status, createdAt: day(5) }, where);
    }
    const shown = ['beta 1.0', 'Alpha 3.0', 'gamma 2.0', 'error 9.0', 'deprecated 9.0'];
    for (const [query, expected] of [
      [{}, shown],
      [{ sort: 'desc' }, shown.toReversed()],
      [{ order_by: 'created_at', per_page: '2', page: '2' }, shown.slice(2, 4)],
      [{ order_by: 'name' }, ['Alpha 3.0', 'beta 1.0', 'deprecated 9.0', 'error 9.0', 'gamma 2.0']],
      [{ order_by: 'version' }, ['beta 1.0', 'gamma 2.0', 'Alpha 3.0', 'error 9.0', 'deprecated 9.0']],
      [{ order_by: 'type', sort: 'desc' }, ['Alpha 3.0', 'beta 1.0', 'deprecated 9.0', 'error 9.0', 'gamma 2.0']],
      [{ order_by: 'version', include_versionless: 'true', per_page: '2' }, ['meta -', 'beta 1.0']],
      [{ order_by: 'version', include_versionless: 'true', sort: 'desc', page: '2', per_page: '5' }, ['meta -']],
      [{ package_type: 'npm' }, ['beta 1.0']],
      [{ package_type: 'conan' }, []],
      [{ package_name: 'ALP' }, ['Alpha 3.0']],
      [{ package_name: '%' }, []],
      [{ package_version: '2.0' }, ['gamma 2.0']],
      [{ package_version: '2', include_versionless: 'true' }, []],
      [{ include_versionless: 'true', package_type: 'maven' }, ['meta -']],
      [{ package_type: 'maven' }, []],
      [{ status: 'hidden' }, ['hidden 9.0']],
      [{ status: 'processing' }, ['processing 9.0']],
      [{ status: 'default' }, shown.slice(0, 3)],
      [{ status: 'deprecated', package_name: 'dep' }, ['deprecated 9.0']],
    ] as const) {
      assert.deepEqual(named(await list(where, query)), expected, JSON.stringify(query));
    }
    const { headers } = await app.get(`/projects/${where.id}/packages`, { query: { per_page: 2 } });
    assert.equal(headers['x-total'], '5');
    for (const [query, error] of [
      [{ package_type: 'odd' }, 'package_type does not have a valid value'],
      [{ status: 'odd' }, 'status does not have a valid value'],
      [{ order_by: 'size' }, 'order_by does not have a valid value'],
      [{ order_by: 'project_path' }, 'order_by does not have a valid value'],
      [{ sort: 'up' }, 'sort does not have a valid value'],
      [{ include_versionless: 'odd' }, 'include_versionless is invalid'],
    ] as const) {
      const response = await app.get(`/projects/${where.id}/packages`, { query });
      assert.equal(expectStatus<{ error: string }>(response, 400).error, error);
    }
  });

  test('are for those who may read them, and tell who may delete them', async () => {
    const { id } = await make({ name: 'rights' });
    for (const [who, status, deletes] of [
      ['stranger', 404, false],
      ['guest', 403, false],
      ['planner', 403, false],
      ['reporter', 200, false],
      ['developer', 200, false],
      ['maintainer', 200, true],
      ['owner', 200, true],
    ] as const) {
      const { token } = staff[who];
      for (const path of ['', `/${id}`, `/${id}/package_files`, `/${id}/pipelines`]) {
        const response = await app.get(`/projects/${project.id}/packages${path}`, { token });
        assert.equal(response.statusCode, status, `${who} ${path}`);
      }
      if (status !== 200) continue;
      const one = (await app.get(`/projects/${project.id}/packages/${id}`, { token })).json<Shown>();
      assert.equal(one._links.web_path, `/${project.full_path}/-/packages/${id}`);
      assert.equal(
        one._links.delete_api_path?.endsWith(`/api/v4/projects/${project.id}/packages/${id}`) ?? false,
        deletes,
      );
    }
    for (const path of ['', `/${id}`, `/${id}/package_files`, `/${id}/pipelines`]) {
      expectStatus(await app.get(`/projects/${project.id}/packages${path}`, { token: null }), 404);
    }
  });

  test('are open to everybody in a public project, and where the registry alone is public', async () => {
    const open = await app.make.project({ visibility: 'public' });
    const part = await app.make.project({
      visibility: 'private',
      columns: { package_registry_access_level: 'public' },
    });
    const closed = await app.make.project({
      visibility: 'public',
      columns: { package_registry_access_level: 'private' },
    });
    const off = await app.make.project({
      visibility: 'public',
      columns: { package_registry_access_level: 'disabled' },
    });
    for (const where of [open, part]) {
      const { id } = await make({ name: 'open' }, where);
      await publishedBy(where, id, 1);
      for (const token of [null, staff.stranger.token]) {
        const [shown] = await list(where, {}, token);
        assert.equal(shown!.id, id);
        assert.equal(shown!._links.delete_api_path, undefined);
        assert.equal(shown!.pipeline === undefined, where === part, 'pipelines are for those who see them');
        const pipelines = await app.get(`/projects/${where.id}/packages/${id}/pipelines`, { token });
        assert.equal(pipelines.statusCode, where === part ? 404 : 200);
      }
    }
    for (const where of [closed, off]) {
      expectStatus(await app.get(`/projects/${where.id}/packages`, { token: null }), 404);
      for (const path of ['', '/999999', '/999999/package_files', '/999999/pipelines']) {
        expectStatus(await app.get(`/projects/${where.id}/packages${path}`, { token: staff.stranger.token }), 403);
      }
    }
    expectStatus(await app.get(`/projects/${off.id}/packages`), 403);
  });

  test('can be read with deploy tokens of their scope', async () => {
    const { token } = expectStatus<{ token: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, {
        json: { name: 'read', scopes: ['read_package_registry'] },
      }),
      201,
    );
    const { token: other } = expectStatus<{ token: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, { json: { name: 'code', scopes: ['read_repository'] } }),
      201,
    );
    const { id } = await make({ name: 'deployed' });
    const at = `/projects/${project.id}/packages/${id}`;
    const by = (secret: string) => ({ token: null, headers: { 'deploy-token': secret } });
    expectStatus(await app.get(at, by(token)), 200);
    expectStatus(await app.get(at, by(other)), 403);
    expectStatus(await app.request('DELETE', at, by(token)), 403);
    const { token: write } = expectStatus<{ token: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, {
        json: { name: 'write', scopes: ['write_package_registry'] },
      }),
      201,
    );
    expectStatus(await app.request('DELETE', at, by(write)), 204);
  });
});

describe('a package', () => {
  test('is shown with its other versions, tags, pipelines and last download', async () => {
    const first = await make({ name: 'whole', version: '1.0', files: { 'f.txt': 'content' } });
    const second = await make({ name: 'whole', version: '2.0' });
    await make({ name: 'whole', version: '3.0', status: 'hidden' });
    await make({ name: 'whole', version: '2.0', type: 'npm' });
    const dated = { created_at: first.created_at, updated_at: first.created_at };
    await app.deps.db
      .insertInto('package_tags')
      .values({
        project_id: project.id,
        package_id: first.id,
        package_type: 'generic',
        name_key: 'whole',
        name: 'latest',
        ...dated,
      })
      .execute();
    const ids = await publishedBy(project, first.id, 25);
    const at = `/projects/${project.id}/packages/${first.id}`;
    const one = expectStatus<Shown>(await app.get(at), 200);
    assert.equal(one.last_downloaded_at, null);
    assert.deepEqual(
      one.versions!.map(({ id, version }) => [id, version]),
      [[second.id, '2.0']],
    );
    assert.deepEqual(
      one.tags.map(({ name, package_id }) => [name, package_id]),
      [['latest', first.id]],
    );
    assert.equal(one.pipeline!.id, ids.at(-1));
    assert.equal(one.pipeline!.user!.username, staff.developer.user.username);
    assert.deepEqual(
      one.pipelines.map(({ id }) => id),
      ids.toReversed().slice(0, 20),
    );
    const [listed] = await list(project, { package_name: 'whole', package_version: '1.0' });
    assert.deepEqual(
      listed!.pipelines.map(({ id }) => id),
      [ids.at(-1)],
    );
    assert.ok(!('last_downloaded_at' in listed!) && !('versions' in listed!));
    const [file] = (await app.get(`${at}/package_files`)).json<{ id: number }[]>();
    expectStatus(await app.request('HEAD', `${at}/package_files/${file!.id}/download`), 200);
    assert.equal((await app.get(at)).json<Shown>().last_downloaded_at, null);
    assert.equal((await app.get(`${at}/package_files/${file!.id}/download`)).body, 'content');
    const downloaded = (await app.get(at)).json<Shown>().last_downloaded_at;
    assert.match(String(downloaded), /^\d{4}-/);
    await app.deps.downloads.flush();
    assert.equal((await app.get(at)).json<Shown>().last_downloaded_at, downloaded);
  });

  test('shows no pipelines of other projects', async () => {
    const { id } = await make({ name: 'from-afar' });
    const [own] = await publishedBy(project, id, 1);
    const other = await app.make.project({ visibility: 'private' });
    const { pipeline } = await makePipeline(app, other, { columns: { user_id: staff.developer.user.id } });
    await app.deps.db
      .insertInto('package_pipelines')
      .values({ package_id: id, package_file_id: null, pipeline_id: pipeline.id })
      .execute();
    const at = `/projects/${project.id}/packages/${id}`;
    const one = expectStatus<Shown>(await app.get(at), 200);
    assert.equal(one.pipeline!.id, own);
    assert.deepEqual(
      one.pipelines.map((each) => each.id),
      [own],
    );
    assert.equal(expectStatus<unknown[]>(await app.get(`${at}/pipelines`), 200).length, 1);
  });

  test('has its pipelines on pages of 20, by number and by cursor', async () => {
    const { id } = await make({ name: 'built' });
    const ids = (await publishedBy(project, id, 23)).toReversed();
    const at = `/projects/${project.id}/packages/${id}/pipelines`;
    const page = async (query: Record<string, string>) => {
      const response = await app.get(at, { query });
      return { ids: expectStatus<{ id: number }[]>(response, 200).map((each) => each.id), headers: response.headers };
    };
    const first = await page({ per_page: '100' });
    assert.deepEqual(first.ids, ids.slice(0, 20));
    assert.equal(first.headers['x-total'], '23');
    assert.equal(first.headers['x-next-page'], '2');
    assert.deepEqual((await page({ page: '2' })).ids, ids.slice(20));
    const keyset = await page({ pagination: 'keyset', per_page: '10' });
    assert.deepEqual(keyset.ids, ids.slice(0, 10));
    const cursor = /[?&]cursor=([^&>]+)/.exec(String(keyset.headers.link))![1]!;
    const next = await page({ cursor, per_page: '20' });
    assert.deepEqual(next.ids, ids.slice(10));
    assert.equal(next.headers.link, undefined);
    expectStatus(await app.get(at, { query: { cursor: 'odd' } }), 400);
  });

  test('is found in its own project and state alone', async () => {
    const other = await app.make.project({ visibility: 'public' });
    const { id } = await make({ name: 'mine', files: { f: 'x' } });
    const [file] = (await app.get(`/projects/${project.id}/packages/${id}/package_files`)).json<{ id: number }[]>();
    const foreign = `/projects/${other.id}/packages/${id}`;
    for (const path of ['', '/package_files', '/pipelines', `/package_files/${file!.id}/download`]) {
      expectStatus(await app.get(`${foreign}${path}`), 404);
      expectStatus(await app.get(`${foreign}${path}`, { token: null }), 404);
    }
    expectStatus(await app.request('DELETE', foreign), 404);
    expectStatus(await app.request('DELETE', `${foreign}/package_files/${file!.id}`), 404);
    const mate = await make({ name: 'mate' });
    const crossed = `/projects/${project.id}/packages/${mate.id}/package_files/${file!.id}`;
    expectStatus(await app.get(`${crossed}/download`), 404);
    expectStatus(await app.request('DELETE', crossed), 404);
    expectStatus(await app.get(`/projects/${project.id}/packages/${id}`), 200);
    for (const status of ['hidden', 'processing', 'error', 'pending_destruction'] as const) {
      const one = await make({ name: 'state', version: status, status });
      const response = await app.get(`/projects/${project.id}/packages/${one.id}`);
      assert.equal(expectStatus<{ message: string }>(response, 404).message, 'Package not found');
    }
    for (const odd of ['999999', '99999999999999999999', '0', 'x']) {
      const { statusCode } = await app.get(`/projects/${project.id}/packages/${odd}`);
      assert.ok([400, 404].includes(statusCode), odd);
    }
  });

  test('is deleted by a Maintainer unless it has changed meanwhile', async () => {
    const { id } = await make({ name: 'doomed' });
    const at = `/projects/${project.id}/packages/${id}`;
    expectStatus(await app.request('DELETE', at, { token: null }), 401);
    expectStatus(await app.request('DELETE', at, { token: staff.stranger.token }), 404);
    for (const who of [staff.guest, staff.reporter, staff.developer]) {
      expectStatus(await app.request('DELETE', at, { token: who.token }), 403);
    }
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' };
    expectStatus(await app.request('DELETE', at, { headers }), 412);
    expectStatus(await app.request('DELETE', at, { token: staff.maintainer.token }), 204);
    expectStatus(await app.get(at), 404);
    assert.deepEqual(await list(project, { package_name: 'doomed' }), []);
    expectStatus(await app.request('DELETE', at), 404);
    await app.drain();
    assert.deepEqual(await app.deps.db.selectFrom('packages').select('id').where('id', '=', id).execute(), []);
  });
});

describe('the packages of a group', () => {
  test('are those of its projects that the caller may read', async () => {
    const group = await app.make.group({ visibility: 'public' });
    const below = await app.make.group({ parent: group, visibility: 'public' });
    const [b, a] = [
      await app.make.project({ namespace: group, visibility: 'public', path: 'b' }),
      await app.make.project({ namespace: below, visibility: 'public', path: 'a' }),
    ];
    const secret = await app.make.project({ namespace: group, visibility: 'private', path: 'secret' });
    const { user, token } = await app.make.user();
    await app.make.member({ project: b }, user, 40);
    const day = (n: number) => ({ createdAt: `2026-01-0${n}T00:00:00.000Z` });
    await make({ name: 'two', ...day(2) }, b);
    await make({ name: 'one', ...day(1) }, a);
    await make({ name: 'three', ...day(3) }, a);
    await make({ name: 'secret', ...day(4) }, secret);
    const ask = async (query: Record<string, string>, as: string | null) =>
      expectStatus<Shown[]>(await app.get(`/groups/${group.id}/packages`, { query, token: as }), 200);
    const names = async (query: Record<string, string>, as: string | null = token) =>
      (await ask(query, as)).map(({ name }) => name);
    assert.deepEqual(await names({}), ['one', 'two', 'three']);
    assert.deepEqual(await names({}, null), ['one', 'two', 'three']);
    assert.deepEqual(await names({}, staff.owner.token), ['one', 'two', 'three']);
    assert.deepEqual(await names({ sort: 'desc', per_page: '2' }), ['three', 'two']);
    assert.deepEqual(await names({ sort: 'desc', per_page: '2', page: '2' }), ['one']);
    assert.deepEqual(await names({ order_by: 'name' }), ['one', 'three', 'two']);
    const paths = [a, b].toSorted((x, y) => (x.path < y.path ? -1 : 1));
    const inPaths = paths.flatMap(({ id }) => (id === a.id ? ['one', 'three'] : ['two']));
    assert.deepEqual(await names({ order_by: 'project_path' }), inPaths);
    assert.deepEqual(await names({ order_by: 'project_path', sort: 'desc' }), inPaths.toReversed());
    assert.deepEqual(await names({ exclude_subgroups: 'true' }), ['two']);
    assert.deepEqual(await names({ package_name: 'secret' }), []);
    const mine = await ask({}, token);
    assert.deepEqual(
      mine.map(({ project_id, project_path, _links }) => [
        project_id,
        project_path,
        _links.delete_api_path !== undefined,
      ]),
      [
        [a.id, a.full_path, false],
        [b.id, b.full_path, true],
        [a.id, a.full_path, false],
      ],
    );
    await app.make.member({ group }, user, 10);
    assert.deepEqual(await names({}), ['one', 'two', 'three'], 'guests read no packages of private projects');
    await app.make.member({ project: secret }, user, 20);
    assert.deepEqual(await names({}), ['one', 'two', 'three', 'secret']);
  });

  test('are in the same order from few projects as from many', async () => {
    const group = await app.make.group({ visibility: 'public' });
    const projects: Project[] = [];
    for (let n = 0; n < 3; n += 1) projects.push(await app.make.project({ namespace: group, visibility: 'public' }));
    for (let n = 0; n < 40; n += 1) {
      const options = { name: `n${(n * 7) % 10}`, version: `${n}`, type: n % 2 === 0 ? 'npm' : 'pypi' } as const;
      await make({ ...options, createdAt: `2026-01-${10 + (n % 5)}T00:00:00.000Z` }, projects[n % 3]!);
    }
    const all = async (query: Record<string, string>) => {
      const response = await app.get(`/groups/${group.id}/packages`, {
        query: { ...query, per_page: 100 },
        token: null,
      });
      return expectStatus<Shown[]>(response, 200).map(({ id }) => id);
    };
    const few = new Map<string, number[]>();
    const queries = ['created_at', 'name', 'version', 'type', 'project_path'].flatMap((order_by) =>
      ['asc', 'desc'].map((sort) => ({ order_by, sort })),
    );
    for (const query of queries) few.set(JSON.stringify(query), await all(query));
    for (let n = 0; n < 60; n += 1) {
      const more = await app.make.project({ namespace: group, visibility: 'public' });
      await make({ name: 'other', version: 'x', status: 'hidden' }, more);
    }
    for (const query of queries) {
      assert.deepEqual(await all(query), few.get(JSON.stringify(query)), JSON.stringify(query));
    }
  });

  test('are not there where the group is not', async () => {
    const group = await app.make.group({ visibility: 'private' });
    const inside = await app.make.project({
      namespace: group,
      visibility: 'private',
      columns: { package_registry_access_level: 'public' },
    });
    await make({ name: 'open' }, inside);
    expectStatus(await app.get(`/groups/${group.id}/packages`, { token: null }), 404);
    expectStatus(await app.get(`/groups/${group.id}/packages`, { token: staff.stranger.token }), 404);
    expectStatus(await app.get('/groups/999999/packages'), 404);
    const { token } = expectStatus<{ token: string }>(
      await app.post(`/groups/${group.id}/deploy_tokens`, { json: { name: 'r', scopes: ['read_package_registry'] } }),
      201,
    );
    const response = await app.get(`/groups/${group.id}/packages`, { token: null, headers: { 'deploy-token': token } });
    assert.equal(expectStatus<Shown[]>(response, 200).length, 1);
  });
});
