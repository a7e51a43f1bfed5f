import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { filesOfZip } from '../../../../test/support/zip.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let group: Namespace;
let project: Project;
let git: ProjectGit;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group({ visibility: 'public' });
  project = await app.make.project({ namespace: group, visibility: 'private' });
  staff = await app.make.members(project);
  git = new ProjectGit(app, project);
});
after(() => app.close());

const composerJson = (name: string, more: object = {}) => JSON.stringify({ name, type: 'library', ...more });
const publish = (json: object, token: string | null = staff.developer.token, id = project.id) =>
  app.post(`/projects/${id}/packages/composer`, { token, json });
const ofGroup = (path: string, token: string | null = staff.reporter.token, headers = {}) =>
  app.get(`/group/${group.id}/-/packages/composer/${path}`, { token, headers });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const V2 = { 'user-agent': 'Composer/2.5.5 (Linux; 6.1; PHP 8.2; cURL 7)' };

interface Version {
  name: string;
  version: string;
  uid: number;
  dist: { type: string; url: string; reference: string; shasum: string };
  source: { type: string; url: string; reference: string };
}
async function versionsOf(name: string, token = staff.reporter.token): Promise<Record<string, Version>> {
  const response = await ofGroup(`p2/${name}.json`, token);
  assert.equal(response.statusCode, 200, response.body);
  assert.match(String(response.headers['content-type']), /^application\/json/);
  return response.json<{ packages: Record<string, Record<string, Version>> }>().packages[name]!;
}
const below = (url: string) => url.slice(url.indexOf('/api/v4') + '/api/v4'.length);

describe('a Composer package', () => {
  test('is made of tags and branches, with versions by their names', async () => {
    const sha = git.commit('main', { 'composer.json': composerJson('acme/names', { require: { php: '>=7' } }) });
    for (const name of ['v1.2.3', '2.0.0-beta.1']) git.run(['tag', name, sha]);
    git.run(['tag', '-a', '-m', 'annotated', '3.0.0', sha]);
    for (const name of ['1.2', '1.x', 'v4', 'feature/x']) git.run(['branch', name, sha]);
    for (const tag of ['v1.2.3', '2.0.0-beta.1', '3.0.0']) {
      assert.deepEqual(expectStatus(await publish({ tag }), 201), { message: '201 Created' });
    }
    for (const branch of ['main', '1.2', '1.x', 'v4', 'feature/x']) expectStatus(await publish({ branch }), 201);
    const versions = await versionsOf('acme/names');
    assert.deepEqual(Object.keys(versions).sort(), [
      '1.2.3',
      '1.2.x-dev',
      '1.x-dev',
      '2.0.0-beta.1',
      '3.0.0',
      '4.x-dev',
      'dev-feature/x',
      'dev-main',
    ]);
    const { uid, ...version } = versions['1.2.3']!;
    assert.equal(typeof uid, 'number');
    const base = app.deps.externalUrl();
    assert.deepEqual(version, {
      name: 'acme/names',
      type: 'library',
      require: { php: '>=7' },
      version: '1.2.3',
      dist: {
        type: 'zip',
        url: `${base}/api/v4/projects/${project.id}/packages/composer/archives/acme/names.zip?sha=${sha}`,
        reference: sha,
        shasum: '',
      },
      source: { type: 'git', url: `git@${new URL(base).hostname}:${project.full_path}.git`, reference: sha },
    });
  });

  test('moves with its branch, and what was locked before is still there', async () => {
    const first = git.commit('moves', { 'composer.json': composerJson('acme/moves'), 'a.php': 'first' });
    expectStatus(await publish({ branch: 'moves' }), 201);
    const url = below((await versionsOf('acme/moves'))['dev-moves']!.dist.url);
    const second = git.commit('moves', { 'a.php': 'second' });
    expectStatus(await publish({ branch: 'moves' }), 201);
    const versions = await versionsOf('acme/moves');
    assert.deepEqual(Object.keys(versions), ['dev-moves']);
    assert.equal(versions['dev-moves']!.source.reference, second);
    for (const [sha, content] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      const zip = await app.get(url.replace(first, sha), { token: staff.reporter.token });
      assert.equal(zip.statusCode, 200);
      assert.equal(zip.headers['content-type'], 'application/zip');
      const files = await filesOfZip(zip.rawPayload);
      const names = [...files.keys()];
      assert.ok(
        names.every((name) => name.includes(sha)),
        names.join(),
      );
      assert.equal(String(files.get(names.find((name) => name.endsWith('/a.php'))!)), content);
    }
  });

  test('is published by those who may', async () => {
    git.commit('roles', { 'composer.json': composerJson('acme/roles') });
    for (const who of ['developer', 'maintainer', 'owner'] as const) {
      expectStatus(await publish({ branch: 'roles' }, staff[who].token), 201);
    }
    for (const who of ['guest', 'planner', 'reporter'] as const) {
      expectStatus(await publish({ branch: 'roles' }, staff[who].token), 403);
    }
    expectStatus(await publish({ branch: 'roles' }, staff.stranger.token), 404);
    expectStatus(await publish({ branch: 'roles' }, null), 401);
  });

  test('is refused with the reason', async () => {
    git.commit('empty', { 'readme.md': 'x' });
    git.commit('list', { 'composer.json': '[]' });
    git.commit('broken', { 'composer.json': '{' });
    git.commit('large', { 'composer.json': composerJson('acme/large', { extra: 'x'.repeat(70_000) }) });
    git.commit('nameless', { 'composer.json': '{}' });
    git.commit('misnamed', { 'composer.json': composerJson('../etc') });
    const sha = git.commit('tagged', { 'composer.json': composerJson('acme/tagged') });
    git.run(['tag', 'release-one', sha]);
    for (const [json, status, message] of [
      [{}, 400, /tag, branch/],
      [{ tag: 'a', branch: 'b' }, 400, /tag, branch/],
      [{ branch: 'none' }, 404, /404 Branch Not Found/],
      [{ branch: 'v1.2.3' }, 404, /404 Branch Not Found/],
      [{ tag: 'main' }, 404, /404 Tag Not Found/],
      [{ branch: sha }, 404, /404 Branch Not Found/],
      [{ branch: 'main~1' }, 404, /404 Branch Not Found/],
      [{ branch: 'empty' }, 422, /^The file composer\.json was not found\.$/],
      [{ branch: 'list' }, 422, /^Could not parse composer\.json file\. Invalid JSON\.$/],
      [{ branch: 'broken' }, 422, /^Could not parse composer\.json file\. Invalid JSON\.$/],
      [{ branch: 'large' }, 422, /too large/],
      [{ branch: 'nameless' }, 400, /Name is invalid/],
      [{ branch: 'misnamed' }, 400, /Name is invalid/],
      [{ tag: 'release-one' }, 400, /Version is invalid/],
    ] as const) {
      const response = await publish(json);
      assert.match(expectStatus<{ message: string }>(response, status).message, message, JSON.stringify(json));
    }
    const bare = await app.make.project();
    expectStatus(await publish({ branch: 'main' }, undefined, bare.id), 404);
    const { token } = await app.make.user({ admin: true });
    expectStatus(await publish({ branch: 'main' }, token, bare.id), 404);
  });

  test('belongs to one project, whoever is first', async () => {
    const { token } = await app.make.user({ admin: true });
    const projects = await Promise.all([1, 2, 3].map(() => app.make.project({ namespace: group })));
    for (const [n, each] of projects.entries()) {
      const name = n === 0 ? 'Acme/One' : 'acme/one';
      new ProjectGit(app, each).commit('main', { 'composer.json': composerJson(name) });
    }
    const answers = await Promise.all(projects.map(({ id }) => publish({ branch: 'main' }, token, id)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400]);
    const refused = answers.find(({ statusCode }) => statusCode === 400)!;
    assert.match(refused.json<{ message: string }>().message, /Name is already taken by another project/);
    const rows = await app.deps.db.selectFrom('packages').select('id').where('name_key', '=', 'acme/one').execute();
    assert.equal(rows.length, 1);
  });
});

describe('the archive of a version', () => {
  test('is had by those who may, for commits of the package alone', async () => {
    const sha = git.commit('archive', { 'composer.json': composerJson('acme/archive') });
    const later = git.commit('archive', { 'secret.txt': 'not published' });
    git.run(['branch', '--force', 'published', sha]);
    expectStatus(await publish({ branch: 'published' }), 201);
    const at = (name: string, commit: string) =>
      `/projects/${project.id}/packages/composer/archives/${name}?sha=${commit}`;
    const good = at('acme/archive.zip', sha);
    for (const who of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
      assert.equal((await app.get(good, { token: staff[who].token })).statusCode, 200);
    }
    for (const who of ['guest', 'planner'] as const)
      expectStatus(await app.get(good, { token: staff[who].token }), 403);
    expectStatus(await app.get(good, { token: staff.stranger.token }), 404);
    const anonymous = await app.get(good, { token: null });
    expectStatus(anonymous, 401);
    assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
    for (const path of [
      at('acme/archive.zip', later),
      at('acme/archive.zip', sha.slice(0, 12)),
      at('acme/archive.zip', 'published'),
      at('acme/archive.zip', '%25'),
      at('acme/other.zip', sha),
      at('acme/archive.tar', sha),
    ]) {
      expectStatus(await app.get(path, { token: staff.owner.token }), 404);
    }
    expectStatus(await app.get(at('acme/archive.zip', sha).split('?')[0]!, { token: staff.owner.token }), 400);
    const deploy = expectStatus<{ token: string; username: string }>(
      await app.post(`/projects/${project.id}/deploy_tokens`, {
        json: { name: 'd', scopes: ['read_package_registry'] },
      }),
      201,
    );
    const authorization = `Basic ${Buffer.from(`${deploy.username}:${deploy.token}`).toString('base64')}`;
    assert.equal((await app.get(good, { token: null, headers: { authorization } })).statusCode, 200);
    assert.equal((await app.head(good)).statusCode, 200);
  });
});

describe('the repository of a group', () => {
  test('tells clients of either protocol where packages are', async () => {
    const address = `/api/v4/group/${group.id}/-/packages/composer`;
    for (const file of ['packages.json', 'packages']) {
      const second = await ofGroup(file, undefined, V2);
      assert.match(String(second.headers.vary), /User-Agent/);
      assert.deepEqual(second.json(), { packages: [], 'metadata-url': `${address}/p2/%package%.json` });
      const tag = { ...V2, 'if-none-match': String(second.headers.etag) };
      assert.equal((await ofGroup(file, undefined, tag)).statusCode, 304);
      const plural = await app.get(`/groups/${group.id}/-/packages/composer/${file}`, { headers: V2 });
      assert.ok(plural.body.includes(`/api/v4/groups/${group.id}/`));
    }
    const first = (await ofGroup('packages.json')).json<{
      'provider-includes': Record<string, { sha256: string }>;
      'providers-url': string;
    }>();
    assert.equal(first['providers-url'], `${address}/%package%$%hash%.json`);
    const digest = first['provider-includes']['p/%hash%.json']!.sha256;
    const providers = await ofGroup(`p/${digest}.json`);
    assert.equal(sha256(providers.body), digest);
    const names = providers.json<{ providers: Record<string, { sha256: string }> }>().providers;
    const digestOfNames = names['acme/names']!.sha256;
    const document = await ofGroup(`acme/names%24${digestOfNames}.json`);
    assert.equal(sha256(document.body), digestOfNames);
    assert.equal(document.body, (await ofGroup('p2/acme/names.json')).body);
    for (const path of [
      `p/${'0'.repeat(64)}.json`,
      `p/${digest}`,
      `acme/names%24${'0'.repeat(64)}.json`,
      'acme/names.json',
      'p2/acme/names~dev.json',
      'p2/acme/none.json',
      'p2/acme/names',
    ]) {
      expectStatus(await ofGroup(path), 404);
    }
  });

  test('has as many of the newest versions in a document as there is room for', async () => {
    const { full_path, id } = await app.make.project({ namespace: group, visibility: 'public' });
    const name = 'acme/large';
    const now = app.deps.clock.now().toISOString();
    const facts = { sha: 'a'.repeat(40), earlier: [], composer_json: { name, filler: 'x'.repeat(1_000_000) } };
    const row = {
      project_id: id,
      package_type: 'composer',
      name,
      name_key: name,
      created_at: now,
      updated_at: now,
    } as const;
    for (let minor = 0; minor < 40; minor += 1) {
      const version = `1.${minor}.0`;
      const values = { ...row, version, version_key: version, metadata: JSON.stringify(facts) };
      await app.deps.db.insertInto('packages').values(values).execute();
    }
    const versions = Object.values(await versionsOf(name));
    assert.equal(versions.length, 33);
    assert.deepEqual([versions[0]!.version, versions.at(-1)!.version], ['1.7.0', '1.39.0']);
    assert.equal(versions[0]!.source.url, `${app.deps.externalUrl()}/${full_path}.git`);
    const root = (await ofGroup('packages.json')).json<{ 'provider-includes': Record<string, { sha256: string }> }>();
    const providers = await ofGroup(`p/${root['provider-includes']['p/%hash%.json']!.sha256}.json`);
    const { sha256: digest } = providers.json<{ providers: Record<string, { sha256: string }> }>().providers[name]!;
    assert.equal((await ofGroup(`${name}%24${digest}.json`)).statusCode, 200);
    await app.deps.db.deleteFrom('packages').where('name', '=', name).execute();
  });

  test('is had at commits that it was at, not at those that its file names', async () => {
    const named = 'b'.repeat(40);
    const more = { extra: { commits: [named], composer_json: 1 } };
    const sha = git.commit('naming', { 'composer.json': composerJson('acme/naming', more) });
    expectStatus(await publish({ branch: 'naming' }), 201);
    const archive = (of: string) =>
      app.get(`/projects/${project.id}/packages/composer/archives/acme/naming.zip?sha=${of}`, {
        token: staff.reporter.token,
      });
    expectStatus(await archive(named), 404);
    assert.equal((await archive(sha)).statusCode, 200);
  });

  test('shows what the caller may read', async () => {
    for (const token of [staff.guest.token, staff.stranger.token, null]) {
      expectStatus(await ofGroup('p2/acme/names.json', token), 404);
      assert.ok(!JSON.stringify((await ofGroup('packages.json', token)).json()).includes('acme'));
    }
    const open = await app.make.project({ namespace: group, visibility: 'public' });
    const { token } = await app.make.user({ admin: true });
    new ProjectGit(app, open).commit('main', { 'composer.json': composerJson('acme/open') });
    expectStatus(await publish({ branch: 'main' }, token, open.id), 201);
    const version = (await ofGroup('p2/acme/open.json', null)).json<{
      packages: Record<string, Record<string, Version>>;
    }>().packages['acme/open']!['dev-main']!;
    assert.equal(version.source.url, `${app.deps.externalUrl()}/${open.full_path}.git`);
    assert.equal((await app.get(below(version.dist.url), { token: null })).statusCode, 200);
    const hidden = await app.make.group({ visibility: 'private' });
    expectStatus(await app.get(`/group/${hidden.id}/-/packages/composer/packages.json`, { token: null }), 401);
    expectStatus(
      await app.get(`/group/${hidden.id}/-/packages/composer/packages.json`, { token: staff.owner.token }),
      404,
    );
  });

  test('follows what changes of its packages and projects', async () => {
    git.commit('follows', { 'composer.json': composerJson('acme/follows') });
    expectStatus(await publish({ branch: 'follows' }), 201);
    const before = await ofGroup('p2/acme/follows.json');
    const known = { 'if-none-match': String(before.headers.etag) };
    assert.equal((await ofGroup('p2/acme/follows.json', undefined, known)).statusCode, 304);
    await app.deps.db.updateTable('projects').set({ visibility: 'internal' }).where('id', '=', project.id).execute();
    assert.equal((await ofGroup('p2/acme/follows.json', undefined, known)).statusCode, 304);
    await app.deps.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute();
    const shown = await ofGroup('p2/acme/follows.json', undefined, known);
    assert.equal(shown.statusCode, 200);
    assert.ok(shown.body.includes(`${app.deps.externalUrl()}/${project.full_path}.git`));
    await app.deps.db.updateTable('packages').set({ status: 'error' }).where('name', '=', 'acme/follows').execute();
    expectStatus(await ofGroup('p2/acme/follows.json'), 404);
  });
});
