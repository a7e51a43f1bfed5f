/** Publishes and installs packages with the npm of this machine. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const root = `${url}/api/v4`;
const host = root.replace(/^https?:/, '');

/** Settings of npm: which registry it asks for the scope, or for everything, with a line that says who asks. */
const settings = (registry: string, { scope = '', auth = `_authToken=${token}` } = {}): string =>
  [
    `${scope === '' ? '' : `${scope}:`}registry=${root}/${registry}/`,
    // The first for publishing, the other for files, which projects have.
    ...(auth === '' ? [] : [`${host}/${registry}/:${auth}`, `${host}/:${auth}`]),
    'update-notifier=false',
    'fund=false',
    '',
  ].join('\n');

let count = 0;
/** A folder with a package.json and settings. */
function place(manifest: object, npmrc: string): string {
  count += 1;
  const dir = join(folder, `place-${count}`);
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(dir, '.npmrc'), npmrc);
  return dir;
}

/** Runs npm without anything that it has kept. */
const npm = (dir: string, ...args: string[]) => {
  rmSync(join(folder, '.npm'), { recursive: true, force: true });
  return must(dir, 'npm', args);
};
const refused = async (dir: string, ...args: string[]) => {
  const { ok, text } = await run(dir, 'npm', args);
  assert.ok(!ok, text);
  return text;
};

/** A package with a program that prints its version. */
function packageOf(name: string, version: string, npmrc: string, more: object = {}): string {
  const dir = place({ name, version, bin: { [name.split('/').at(-1)!]: 'cli.js' }, ...more }, npmrc);
  writeFileSync(join(dir, 'cli.js'), `#!/usr/bin/env node\nconsole.log('${name} ${version}')\n`);
  writeFileSync(join(dir, 'README.md'), 'A package. '.repeat(5_000));
  return dir;
}

/** Installs into an empty project, and once more from the lock file. @returns what the installed program prints */
async function install(npmrc: string, ...packages: string[]): Promise<string> {
  const dir = place({ name: 'consumer', version: '1.0.0', private: true }, npmrc);
  await npm(dir, 'install', '--no-audit', ...packages);
  const lock = readFileSync(join(dir, 'package-lock.json'), 'utf8');
  assert.match(lock, /"integrity": "sha512-/);
  rmSync(join(dir, 'node_modules'), { recursive: true });
  await npm(dir, 'ci', '--no-audit');
  return must(dir, join(dir, 'node_modules/.bin/tool'), []);
}

const group = await api<{ id: number }>('POST', '/groups', { name: 'acme', path: 'acme', visibility: 'private' });
const project = await api<{ id: number }>('POST', '/projects', { path: 'lib', namespace_id: group.id });
const inProject = `projects/${project.id}/packages/npm`;
const levels = { project: inProject, group: `groups/${group.id}/-/packages/npm`, instance: 'packages/npm' };
const scope = '@acme';
const home = settings(inProject, { scope });

/** The token of a job that a runner has. */
async function jobToken(): Promise<string> {
  const config = 'test: {script: [make]}\n';
  const { token: runner } = await api<{ token: string }>('POST', '/user/runners', {
    runner_type: 'project_type',
    project_id: project.id,
    run_untagged: true,
  });
  await api('POST', `/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Build',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }],
  });
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(`${root}/jobs/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: runner, info: { features: {} } }),
    });
    if (response.status === 201) return ((await response.json()) as { token: string }).token;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no job came');
}

const expires_at = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
const accessToken = async (of: string) =>
  (await api<{ token: string }>('POST', of, { name: 'npm', scopes: ['api'], access_level: 30, expires_at })).token;

await runTests('npm', {
  'publishes with a scope and installs at every level': async () => {
    await npm(packageOf('@acme/tool', '1.0.0', home), 'publish');
    for (const registry of Object.values(levels)) {
      assert.equal(await install(settings(registry, { scope }), '@acme/tool'), '@acme/tool 1.0.0\n');
    }
  },
  'publishes without a scope, with dependencies, and installs in the project and the group': async () => {
    const all = settings(inProject);
    await npm(packageOf('base', '1.2.0', all), 'publish');
    await npm(packageOf('tool', '1.0.0', all, { dependencies: { base: '^1.0.0' } }), 'publish');
    for (const registry of [levels.project, levels.group]) {
      assert.equal(await install(settings(registry), 'tool'), 'tool 1.0.0\n');
    }
    const missing = await refused(place({}, settings(levels.instance)), 'view', 'tool');
    assert.match(missing, /E404/);
  },
  'is refused a version that is there, and tells why': async () => {
    const text = await refused(packageOf('@acme/tool', '1.0.0', home), 'publish');
    assert.match(text, /E403|previously published|Package already exists/);
  },
  'shows a package': async () => {
    await npm(packageOf('@acme/tool', '1.1.0', home), 'publish');
    for (const registry of Object.values(levels)) {
      const dir = place({}, settings(registry, { scope }));
      assert.deepEqual(JSON.parse(await npm(dir, 'view', '@acme/tool', 'versions', '--json')), ['1.0.0', '1.1.0']);
      assert.match(await npm(dir, 'view', '@acme/tool'), /@acme\/tool@1\.1\.0/);
    }
  },
  'sets, lists and removes tags': async () => {
    for (const registry of Object.values(levels)) {
      const dir = place({}, settings(registry, { scope }));
      await npm(dir, 'dist-tag', 'add', '@acme/tool@1.0.0', 'stable');
      assert.match(await npm(dir, 'dist-tag', 'ls', '@acme/tool'), /latest: 1\.1\.0\nstable: 1\.0\.0/);
      assert.equal(await install(settings(registry, { scope }), '@acme/tool@stable'), '@acme/tool 1.0.0\n');
      await npm(dir, 'dist-tag', 'rm', '@acme/tool', 'stable');
      assert.doesNotMatch(await npm(dir, 'dist-tag', 'ls', '@acme/tool'), /stable/);
    }
    await npm(packageOf('@acme/tool', '2.0.0-rc.1', home), 'publish', '--tag', 'next');
    assert.equal(await install(home, '@acme/tool'), '@acme/tool 1.1.0\n');
    assert.equal(await install(home, '@acme/tool@next'), '@acme/tool 2.0.0-rc.1\n');
  },
  'deprecates versions, warns of them, and takes it back': async () => {
    await npm(place({}, home), 'deprecate', '@acme/tool@<1.1', 'take 1.1');
    const dir = place({ name: 'consumer', version: '1.0.0' }, home);
    assert.match(await npm(dir, 'install', '@acme/tool@1.0.0'), /deprecated @acme\/tool@1\.0\.0: take 1\.1/);
    assert.doesNotMatch(await npm(dir, 'install', '@acme/tool@1.1.0'), /deprecated/);
    await npm(place({}, home), 'undeprecate', '@acme/tool@<1.1');
    assert.doesNotMatch(await npm(dir, 'install', '@acme/tool@1.0.0'), /deprecated/);
  },
  'audits what is installed': async () => {
    for (const registry of [levels.project, levels.group]) {
      const dir = place({ name: 'consumer', version: '1.0.0' }, settings(registry));
      await npm(dir, 'install', 'tool');
      assert.match(await npm(dir, 'audit'), /found 0 vulnerabilities/);
    }
  },
  'knows who it is': async () => {
    for (const registry of Object.values(levels)) {
      const dir = place({}, settings(registry));
      assert.equal(await npm(dir, 'whoami'), 'root\n');
      assert.match(await npm(dir, 'ping'), /PONG/);
    }
  },
  'works with tokens of all kinds': async () => {
    const deployToken = (of: string) =>
      api<{ token: string; username: string }>('POST', `${of}/deploy_tokens`, {
        name: 'npm',
        scopes: ['write_package_registry', 'read_package_registry'],
      });
    const deploy = await deployToken(`/groups/${group.id}`);
    const basic = (name: string, secret: string) => `_auth=${Buffer.from(`${name}:${secret}`).toString('base64')}`;
    const job = await jobToken();
    const ways = {
      project: `_authToken=${await accessToken(`/projects/${project.id}/access_tokens`)}`,
      group: `_authToken=${await accessToken(`/groups/${group.id}/access_tokens`)}`,
      deploy: `_authToken=${deploy.token}`,
      job: `_authToken=${job}`,
      'deploy, old': basic(deploy.username, deploy.token),
      'personal, old': basic('root', token),
    };
    for (const [n, auth] of Object.values(ways).entries()) {
      await npm(packageOf('@acme/tool', `3.0.${n}`, settings(inProject, { scope, auth })), 'publish');
      for (const registry of Object.values(levels)) {
        assert.equal(await install(settings(registry, { scope, auth }), '@acme/tool'), `@acme/tool 3.0.${n}\n`);
      }
    }
    const auth = `_authToken=${(await deployToken(`/projects/${project.id}`)).token}`;
    await npm(packageOf('@acme/tool', '3.1.0', settings(inProject, { scope, auth })), 'publish');
    assert.equal(await install(settings(inProject, { scope, auth }), '@acme/tool'), '@acme/tool 3.1.0\n');
  },
  'is refused without a token, or with a wrong one': async () => {
    for (const auth of ['', '_authToken=glpat-wrong']) {
      for (const registry of Object.values(levels)) {
        const dir = place({}, settings(registry, { scope, auth }));
        assert.match(await refused(dir, 'view', '@acme/tool'), /E401/);
      }
      const npmrc = settings(inProject, { scope, auth });
      assert.match(await refused(packageOf('@acme/tool', '9.0.0', npmrc), 'publish'), /E401|ENEEDAUTH/);
    }
  },
  'cannot unpublish': async () => {
    const dir = place({}, home);
    assert.match(await refused(dir, 'unpublish', '@acme/tool@1.0.0', '--force'), /E40[45]/);
    await npm(dir, 'view', '@acme/tool@1.0.0');
    assert.ok(existsSync(dir));
  },
});
