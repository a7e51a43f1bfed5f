import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { npmPublication } from '../../../../test/support/npm-packages.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Packument {
  'dist-tags': Record<string, string>;
  versions: Record<string, { dist: { tarball: string } }>;
}

let app: TestApp;
let group: Namespace;
let subgroup: Namespace;
let hidden: Project;
let open: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group({ path: 'Acme', visibility: 'public' });
  subgroup = await app.make.group({ path: 'inner', parent: group, visibility: 'public' });
  hidden = await app.make.project({ namespace: subgroup, visibility: 'private' });
  open = await app.make.project({ namespace: group, visibility: 'public' });
  staff = await app.make.members(hidden);
});
after(() => app.close());

const escaped = (name: string) => name.replace('/', '%2f');
const publish = (project: Project, name: string, version: string, token?: string) =>
  app.put(`/projects/${project.id}/packages/npm/${escaped(name)}`, {
    json: npmPublication(name, version),
    ...(token === undefined ? {} : { token }),
  });
const published = async (...args: Parameters<typeof publish>) => expectStatus(await publish(...args), 200);
const inGroup = (rest: string, id = group.id) => `/groups/${id}/-/packages/npm/${rest}`;
const anywhere = (rest: string) => `/packages/npm/${rest}`;
const versions = async (path: string, token: string | null) =>
  Object.keys(expectStatus<Packument>(await app.get(path, { token }), 200).versions);

describe('a package below a group and anywhere', () => {
  test('has the versions of those projects that the caller may read, at the addresses of these', async () => {
    await published(hidden, '@acme/both', '1.0.0');
    await published(open, '@acme/both', '2.0.0');
    for (const path of [inGroup('@acme%2fboth'), anywhere('@acme%2Fboth')]) {
      const { token } = staff.reporter;
      const whole = expectStatus<Packument>(await app.get(path, { token }), 200);
      assert.deepEqual(Object.keys(whole.versions), ['1.0.0', '2.0.0']);
      assert.match(whole.versions['1.0.0']!.dist.tarball, new RegExp(`/projects/${hidden.id}/packages/npm/`));
      assert.match(whole.versions['2.0.0']!.dist.tarball, new RegExp(`/projects/${open.id}/packages/npm/`));
      assert.deepEqual(whole['dist-tags'], { latest: '2.0.0' });
      for (const other of [null, staff.stranger.token, staff.guest.token]) {
        assert.deepEqual(await versions(path, other), ['2.0.0']);
      }
    }
    assert.deepEqual(await versions(inGroup('@acme%2fboth', subgroup.id), staff.reporter.token), ['1.0.0']);
  });

  test('is not there for those who may read none of its projects', async () => {
    await published(hidden, '@acme/secret', '1.0.0');
    for (const path of [inGroup('@acme%2fsecret'), anywhere('@acme%2fsecret')]) {
      for (const tags of ['', 'tags']) {
        const at = tags === '' ? path : path.replace(/npm\//, 'npm/-/package/').concat('/dist-tags');
        expectStatus(await app.get(at, { token: staff.reporter.token }), 200);
        const none = at.replace('secret', 'nothing');
        for (const [token, status] of [
          [null, 401],
          [staff.stranger.token, 404],
          [staff.guest.token, 404],
        ] as const) {
          const refused = await app.get(at, { token });
          expectStatus(refused, status);
          assert.equal(refused.body, (await app.get(none, { token })).body);
        }
      }
    }
    expectStatus(await app.get(anywhere('@nowhere%2fsecret'), { token: null }), 401);
    expectStatus(await app.get(anywhere('@nowhere%2fsecret'), { token: staff.reporter.token }), 404);
  });

  test('is nowhere to be found without the scope of its top-level namespace', async () => {
    for (const name of ['plain', '@other/scope', '@inner/app']) {
      await published(hidden, name, '1.0.0');
      expectStatus(await app.get(anywhere(escaped(name))), 404);
      expectStatus(await app.get(inGroup(escaped(name))), 200);
    }
    const { token } = staff.stranger;
    const own = await app.make.project({ owner: staff.stranger.user });
    const name = `@${staff.stranger.user.username}/own`;
    expectStatus(await publish(own, name, '1.0.0', token), 200);
    expectStatus(await app.get(anywhere(escaped(name)), { token }), 200);
    expectStatus(await app.get(anywhere(escaped(name)), { token: staff.owner.token }), 404);
  });

  test('is asked for in a group that the caller may not see', async () => {
    const closed = await app.make.group({ visibility: 'private' });
    for (const rest of ['x', '-/package/x/dist-tags', '-/ping', '-/whoami']) {
      const { message, error } = expectStatus<{ message: string; error: string }>(
        await app.get(inGroup(rest, closed.id), { token: staff.stranger.token }),
        404,
      );
      assert.deepEqual([message, error], ['404 Group Not Found', 'Group not found']);
      expectStatus(await app.get(inGroup(rest, closed.id), { token: null }), 401);
      expectStatus(await app.get(inGroup(rest, 987_654), { token: null }), 401);
    }
  });

  test('is read with tokens of deployments and jobs', async () => {
    await published(hidden, '@acme/tokens', '1.0.0');
    const deploy = expectStatus<{ token: string }>(
      await app.post(`/groups/${group.id}/deploy_tokens`, { json: { name: 'd', scopes: ['read_package_registry'] } }),
      201,
    );
    const { token } = await holdJob(app, hidden);
    for (const secret of [deploy.token, token]) {
      for (const path of [inGroup('@acme%2ftokens'), anywhere('@acme%2ftokens')]) {
        const headers = { authorization: `Bearer ${secret}` };
        expectStatus(await app.get(path, { token: null, headers }), 200);
      }
    }
  });
});

describe('a version of a scope that is the top-level namespace', () => {
  test('is there once in all of its projects', async () => {
    await published(open, '@acme/once', '1.0.0');
    const { message, error } = expectStatus<{ message: string; error: string }>(
      await publish(hidden, '@acme/once', '1.0.0'),
      403,
    );
    assert.deepEqual([message, error], ['Package already exists.', 'Package already exists.']);
    await published(hidden, '@acme/once', '1.0.1');
    await published(open, '@free/often', '1.0.0');
    await published(hidden, '@free/often', '1.0.0');
    const elsewhere = await app.make.project();
    await published(elsewhere, '@acme/once', '1.0.0');
  });

  test('is there once when it is published to all of them at once', async () => {
    const projects = [hidden, open, ...(await Promise.all([1, 2].map(() => app.make.project({ namespace: group }))))];
    const answers = await Promise.all([...projects, ...projects].map((each) => publish(each, '@acme/race', '1.0.0')));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 403)]);
    assert.deepEqual(await versions(inGroup('@acme%2frace'), ROOT_TOKEN), ['1.0.0']);
  });
});

describe('tags of a package below a group and anywhere', () => {
  const tag = (place: (rest: string) => string, name = '@acme%2ftagged', last = '/next') =>
    place(`-/package/${name}/dist-tags${last}`);
  const body = { body: '"1.0.0"', headers: { 'content-type': 'application/json' } };

  test('are listed, set and removed in the project that it is in', async () => {
    await published(hidden, '@acme/tagged', '1.0.0');
    for (const place of [inGroup, anywhere]) {
      expectStatus(await app.put(tag(place), { ...body, token: staff.developer.token }), 204);
      const listed = await app.get(tag(place, '@acme%2ftagged', ''), { token: staff.reporter.token });
      assert.deepEqual(expectStatus(listed, 200), { latest: '1.0.0', next: '1.0.0' });
      expectStatus(await app.delete(tag(place), { token: staff.maintainer.token }), 204);
      expectStatus(await app.delete(tag(place), { token: staff.maintainer.token }), 404);
    }
  });

  test('are left to those who may', async () => {
    for (const place of [inGroup, anywhere]) {
      for (const [token, setting, removing] of [
        [null, 401, 401],
        [staff.stranger.token, 404, 404],
        [staff.guest.token, 404, 404],
        [staff.reporter.token, 403, 403],
        [staff.developer.token, 204, 403],
      ] as const) {
        expectStatus(await app.put(tag(place), { ...body, token }), setting);
        expectStatus(await app.delete(tag(place), { token }), removing);
      }
      expectStatus(await app.put(tag(place, '@acme%2fnothing'), { ...body }), 404);
      expectStatus(await app.put(tag(place, 'nothing'), { ...body }), 404);
    }
  });
});

test('audits, pings and names of callers are given at every level', async () => {
  for (const place of [inGroup, anywhere]) {
    const post = (last: string, token: string | null) =>
      app.post(place(`-/npm/v1/security/${last}`), { token, json: { app: ['1.0.0'] } });
    assert.deepEqual(expectStatus(await post('advisories/bulk', staff.stranger.token), 200), []);
    expectStatus(await post('audits/quick', staff.stranger.token), 200);
    assert.deepEqual(expectStatus(await app.get(place('-/ping')), 200), {});
    const { username } = staff.guest.user;
    assert.deepEqual(expectStatus(await app.get(place('-/whoami'), { token: staff.guest.token }), 200), { username });
    expectStatus(await app.get(place('-/whoami'), { token: null }), 401);
  }
});
