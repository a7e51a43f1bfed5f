/** Works with the unmodified composer, whose program is the argument; address and token come from the environment. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const { host } = new URL(url);
const env = (home: string) => ({
  COMPOSER_HOME: join(folder, home),
  COMPOSER_ALLOW_SUPERUSER: '1',
  COMPOSER_NO_INTERACTION: '1',
  COMPOSER_DISABLE_NETWORK: '0',
});

let count = 0;
const group = async (visibility: 'private' | 'public') => {
  count += 1;
  const path = `composer-${count}`;
  return (await api<{ id: number }>('POST', '/groups', { name: path, path, visibility })).id;
};

/** A project with a library of that name, published as 1.0.0, 1.1.0 and dev-main. */
async function library(namespace_id: number, name: string, visibility: 'private' | 'public'): Promise<number> {
  const path = name.replace('/', '-');
  const { id } = await api<{ id: number }>('POST', '/projects', { name: path, namespace_id, visibility });
  for (const version of ['1.0.0', '1.1.0', 'dev']) {
    const action = version === '1.0.0' ? 'create' : 'update';
    const content = JSON.stringify({ name, description: 'A library', autoload: { files: ['lib.php'] } });
    await api('POST', `/projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: `Make ${version}`,
      actions: [
        { action, file_path: 'composer.json', content },
        { action, file_path: 'lib.php', content: `<?php const LIB = '${version}';\n` },
      ],
    });
    if (version === 'dev') {
      await api('POST', `/projects/${id}/packages/composer`, { branch: 'main' });
    } else {
      await api('POST', `/projects/${id}/repository/tags`, { tag_name: `v${version}`, ref: 'main' });
      await api('POST', `/projects/${id}/packages/composer`, { tag: `v${version}` });
    }
  }
  return id;
}

/** A folder whose project takes packages from the group alone. @param auth what Composer knows of the server */
function consumer(name: string, groupId: number, face: 'group' | 'groups', auth: object): string {
  const dir = join(folder, name);
  mkdirSync(join(dir, 'home'), { recursive: true });
  const repository = { type: 'composer', url: `${url}/api/v4/${face}/${groupId}/-/packages/composer/packages.json` };
  const config = { 'secure-http': false, 'gitlab-domains': [host] };
  const content = { name: 'test/app', repositories: [repository, { packagist: false }], config };
  writeFileSync(join(dir, 'composer.json'), JSON.stringify(content));
  writeFileSync(join(dir, 'home/auth.json'), JSON.stringify(auth));
  return dir;
}

const composer = (dir: string, ...args: string[]) => run(dir, program, args, env(`${dir.split('/').pop()}/home`));
const installed = (dir: string, name: string) => readFileSync(join(dir, `vendor/${name}/lib.php`), 'utf8');

const TESTS: Record<string, () => Promise<void>> = {
  'packages of a private group are installed with a name and a token': async () => {
    const id = await group('private');
    await library(id, 'acme/basic', 'private');
    const dir = consumer('basic', id, 'group', { 'http-basic': { [host]: { username: 'root', password: token } } });
    for (const [expected, actual] of [
      ['acme/basic:^1.0', '1.1.0'],
      ['acme/basic:1.0.0', '1.0.0'],
      ['acme/basic:dev-main', 'dev'],
    ] as const) {
      const { ok, text } = await composer(dir, 'require', '--prefer-dist', expected);
      assert.ok(ok, text);
      assert.match(installed(dir, 'acme/basic'), new RegExp(`'${actual}'`));
    }
  },
  'a token as for GitLab does, too, and so does a deploy token': async () => {
    const id = await group('private');
    await library(id, 'acme/token', 'private');
    const deploy = await api<{ username: string; token: string }>('POST', `/groups/${id}/deploy_tokens`, {
      name: 'reads',
      scopes: ['read_package_registry'],
    });
    const auths = [
      { 'gitlab-token': { [host]: token } },
      { 'http-basic': { [host]: { username: deploy.username, password: deploy.token } } },
    ];
    for (const [n, auth] of auths.entries()) {
      const dir = consumer(`token-${n}`, id, n === 0 ? 'group' : 'groups', auth);
      const { ok, text } = await composer(dir, 'require', '--prefer-dist', 'acme/token:1.0.0');
      assert.ok(ok, text);
      assert.match(installed(dir, 'acme/token'), /'1\.0\.0'/);
    }
  },
  'what is locked is installed though its branch has moved': async () => {
    const id = await group('private');
    const project = await library(id, 'acme/locked', 'private');
    const auth = { 'http-basic': { [host]: { username: 'root', password: token } } };
    const dir = consumer('locked', id, 'group', auth);
    const first = await composer(dir, 'require', '--prefer-dist', 'acme/locked:dev-main');
    assert.ok(first.ok, first.text);
    await api('POST', `/projects/${project}/repository/commits`, {
      branch: 'main',
      commit_message: 'Move on',
      actions: [{ action: 'update', file_path: 'lib.php', content: "<?php const LIB = 'moved';\n" }],
    });
    await api('POST', `/projects/${project}/packages/composer`, { branch: 'main' });
    await must(dir, 'rm', ['-r', join(dir, 'vendor'), join(dir, 'home/cache')]);
    const again = await composer(dir, 'install', '--prefer-dist');
    assert.ok(again.ok, again.text);
    assert.match(installed(dir, 'acme/locked'), /'dev'/);
    const updated = await composer(dir, 'update', '--prefer-dist');
    assert.ok(updated.ok, updated.text);
    assert.match(installed(dir, 'acme/locked'), /'moved'/);
  },
  'a public group is read without a name, and shows nothing else': async () => {
    const id = await group('public');
    await library(id, 'acme/open', 'public');
    await library(id, 'acme/closed', 'private');
    const dir = consumer('open', id, 'group', {});
    const { ok, text } = await composer(dir, 'require', '--prefer-dist', 'acme/open:^1');
    assert.ok(ok, text);
    assert.ok(existsSync(join(dir, 'vendor/acme/open')));
    const closed = await composer(dir, 'require', '--prefer-dist', 'acme/closed:^1');
    assert.ok(!closed.ok && /could not (?:be )?f(?:ind|ound)/i.test(closed.text), closed.text);
  },
};

await runTests('composer', TESTS);
