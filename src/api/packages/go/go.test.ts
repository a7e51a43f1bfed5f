import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { filesOfZip } from '../../../../test/support/zip.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
/** As `go.mod` says it. */
let root: string;
let second: string;

before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ namespace: await app.make.group({ path: 'Team' }), visibility: 'private' });
  staff = await app.make.members(project);
  root = `${new URL(app.deps.externalUrl()).hostname}/${project.full_path}`;
  git = new ProjectGit(app, project);
  git.commit('main', {
    'go.mod': `// The root.\nmodule ${root}\n\ngo 1.22\n`,
    'root.go': 'package root\n',
    'empty.go': '',
    LICENSE: 'of the root',
    'sub/go.mod': `module ${root}/sub\n\ngo 1.24\n`,
    'sub/sub.go': 'package sub\n',
    'sub/v2/go.mod': `module ${root}/sub/v2\n`,
    'sub/v2/sub.go': 'package sub\n',
    'pkg/pkg.go': 'package pkg\n',
    'pkg/vendor/x.go': 'package vendor\n',
    'vendor/modules.txt': '# none\n',
    'vendor/example.com/x/x.go': 'package x\n',
    '.gitattributes': 'pkg export-ignore\n',
  });
  for (const tag of [
    'v1.0.0',
    'v1.1.0-rc.1',
    'v2.0.0',
    'v1.2',
    '1.3.0',
    'v1.4.0+meta',
    'v1.0.1-0.20230101000000-aaaaaaaaaaaa',
  ]) {
    git.run(['tag', tag, 'main']);
  }
  git.run(['tag', '-a', '-m', 'annotated', 'v1.0.1', 'main']);
  git.run(['tag', 'sub/v0.1.0', 'main']);
  git.run(['tag', 'blob/v1.0.0', 'main:LICENSE']);
  git.commit('other', { 'go.mod': 'module example.com/other\n' });
  git.run(['tag', 'v1.5.0', 'other']);
  second = git.commit('main', { 'go.mod': `module ${root}/v2\n`, 'go.sum': '' });
  git.run(['tag', 'v2.1.0', 'main']);
});
after(() => app.close());

const escaped = (text: string) => text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
const at = (module: string, rest: string) =>
  `/projects/${project.id}/packages/go/${escaped(module)}/@v/${escaped(rest)}`;
const get = (module: string, rest: string, token: string | null = staff.reporter.token, headers = {}) =>
  app.get(at(module, rest), { token, headers });

describe('a Go module', () => {
  test('has the versions of its tags', async () => {
    const list = await get(root, 'list');
    assert.equal(list.headers['content-type'], 'text/plain; charset=utf-8');
    assert.deepEqual(list.body.split('\n').sort(), ['', 'v1.0.0', 'v1.0.1', 'v1.1.0-rc.1']);
    assert.equal((await get(`${root}/v2`, 'list')).body, 'v2.1.0\n');
    assert.equal((await get(`${root}/sub`, 'list')).body, 'v0.1.0\n');
    // Without tags of its own those of the repository count.
    assert.equal((await get(`${root}/sub/v2`, 'list')).body, 'v2.0.0\nv2.1.0\n');
    for (const none of [`${root}/none`, `${root}/v3`, `${root}/pkg`]) assert.equal((await get(none, 'list')).body, '');
  });

  test('tells the time of a version, and its go.mod', async () => {
    for (const version of ['v1.0.0', 'v1.0.1']) {
      const info = await get(root, `${version}.info`);
      assert.match(String(info.headers['content-type']), /^application\/json/);
      assert.deepEqual(JSON.parse(info.body), { Version: version, Time: '2023-11-14T22:14:20Z' });
    }
    const mod = await get(root, 'v1.0.0.mod');
    assert.equal(mod.body, `// The root.\nmodule ${root}\n\ngo 1.22\n`);
    assert.equal((await get(`${root}/sub`, 'v0.1.0.mod')).body, `module ${root}/sub\n\ngo 1.24\n`);
  });

  test('gives its files as Go puts them together', async () => {
    const response = await get(root, 'v1.0.0.zip');
    assert.equal(response.headers['content-type'], 'application/zip');
    const files = await filesOfZip(response.rawPayload);
    const names = ['.gitattributes', 'LICENSE', 'empty.go', 'go.mod', 'pkg/pkg.go', 'root.go', 'vendor/modules.txt'];
    // A package in `vendor` of a folder is left out by the rules before Go 1.24, where its name is long enough.
    assert.deepEqual([...files.keys()].sort(), names.map((name) => `${root}@v1.0.0/${name}`).sort());
    assert.equal(files.get(`${root}@v1.0.0/LICENSE`)?.toString(), 'of the root');
    const sub = await filesOfZip((await get(`${root}/sub`, 'v0.1.0.zip')).rawPayload);
    assert.deepEqual(
      [...sub.keys()].sort(),
      ['LICENSE', 'go.mod', 'sub.go'].map((name) => `${root}/sub@v0.1.0/${name}`),
    );
  });

  test('can be had at a commit, by its time and id', async () => {
    const version = (base: string) => `${base}20231114221620-${second.slice(0, 12)}`;
    for (const base of ['v2.0.0-', 'v2.0.1-0.', 'v2.1.0-rc.0.']) {
      const info = JSON.parse((await get(`${root}/v2`, `${version(base)}.info`)).body);
      assert.deepEqual(info, { Version: version(base), Time: '2023-11-14T22:16:20Z' });
    }
    for (const wrong of [
      `v2.0.0-20231114221621-${second.slice(0, 12)}`,
      'v2.0.0-20231114221620-000000000000',
      version('v2.0.1-'),
      version('v1.0.0-'),
      `v2.0.0-20231114221620-${second.slice(0, 11)}`,
    ]) {
      expectStatus(await get(`${root}/v2`, `${wrong}.info`), 404);
    }
  });

  test('is not there by other names and versions', async () => {
    for (const [module, rest] of [
      [root, 'v1.5.0.info'],
      [root, 'v2.0.0.mod'],
      [root, 'v9.9.9.zip'],
      [root, 'main.info'],
      [root, 'v1.4.0+meta.info'],
      [`${root}/blob`, 'v1.0.0.info'],
      [`${root}x`, 'v1.0.0.info'],
      [`${root}/../x`, 'v1.0.0.info'],
      ['example.com/other', 'v1.5.0.info'],
      [root, 'v1.0.0.exe'],
    ] as const) {
      expectStatus(await get(module, rest), 404);
    }
    expectStatus(await app.get(`/projects/${project.id}/packages/go/${escaped(root)}/@latest`), 404);
  });

  test('is read by those who may read packages and code', async () => {
    for (const who of [staff.reporter, staff.developer, staff.maintainer, staff.owner]) {
      assert.equal((await get(root, 'list', who.token)).statusCode, 200);
    }
    for (const who of [staff.guest, staff.planner]) expectStatus(await get(root, 'list', who.token), 403);
    assert.equal(expectStatus(await get(root, 'list', staff.stranger.token), 404).message, '404 Project Not Found');
    const anonymous = await get(root, 'list', null);
    expectStatus(anonymous, 401);
    assert.match(String(anonymous.headers['www-authenticate']), /^Basic realm=/);
    const basic = (name: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    });
    const held = await holdJob(app, project, { columns: { user_id: 1 } });
    for (const headers of [basic('any', staff.reporter.token), basic('gitlab-ci-token', held.token)]) {
      assert.equal((await get(root, 'list', null, headers)).statusCode, 200);
    }
    const tokens = await Promise.all(
      [['read_package_registry'], ['read_package_registry', 'read_repository']].map(async (scopes) =>
        expectStatus<{ token: string }>(
          await app.post(`/projects/${project.id}/deploy_tokens`, { json: { name: 'deploy', scopes } }),
          201,
        ),
      ),
    );
    expectStatus(await get(root, 'list', null, { 'deploy-token': tokens[0]!.token }), 403);
    assert.equal((await get(root, 'list', null, { 'deploy-token': tokens[1]!.token })).statusCode, 200);
  });

  test('stays closed where packages are open and code is not', async () => {
    const open = await app.make.project({ columns: { package_registry_access_level: 'public' } });
    const path = `/projects/${open.id}/packages/go/x/y/@v/list`;
    expectStatus(await app.get(path, { token: null }), 401);
    expectStatus(await app.get(path, { token: staff.stranger.token }), 404);
    const both = await app.make.project({ visibility: 'public' });
    const module = `${new URL(app.deps.externalUrl()).hostname}/${both.full_path}`;
    new ProjectGit(app, both).commit('main', { 'go.mod': `module ${module}\n` });
    new ProjectGit(app, both).run(['tag', 'v0.0.1', 'main']);
    const list = await app.get(`/projects/${both.id}/packages/go/${module}/@v/list`, { token: null });
    assert.equal(list.body, 'v0.0.1\n');
  });
});

test('a module with a file that no archive can hold is refused with its name', async () => {
  const other = await app.make.project({ visibility: 'public' });
  const name = `${new URL(app.deps.externalUrl()).hostname}/${other.full_path}`;
  const repo = new ProjectGit(app, other);
  const blob = (text: string) => repo.run(['hash-object', '-w', '--stdin'], text);
  const files = { '..\\x.go': 'package x\n', 'go.mod': `module ${name}\n` };
  const tree = Object.entries(files).map(([path, text]) => `100644 blob ${blob(text)}\t${path}\0`);
  const commit = repo.run(['commit-tree', '-m', 'odd', repo.run(['mktree', '-z'], tree.join(''))]);
  repo.run(['tag', 'v1.0.0', commit]);
  const path = `/projects/${other.id}/packages/go/${escaped(name)}/@v/v1.0.0`;
  assert.equal((await app.get(`${path}.mod`)).statusCode, 200);
  assert.match(String(expectStatus(await app.get(`${path}.zip`), 422).message), /\.\.\\x\.go/);
});
