/** Works with unmodified twine, pip and uv, whose folder of programs is the argument; address and token come from the environment. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [programs = ''] = process.argv.slice(2);
const python = join(programs, 'python');
const at = (user: string, secret: string) => url.replace('://', `://${user}:${secret}@`);
const QUIET = { PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_INPUT: '1', PIP_NO_CACHE_DIR: '1' };

let count = 0;
const project = (visibility: 'private' | 'public', namespace_id?: number) => {
  count += 1;
  return api<{ id: number }>('POST', '/projects', { name: `pypi-${count}`, visibility, namespace_id });
};

/** Builds a wheel of the package with what every environment has. @returns its file */
async function wheel(name: string, version: string): Promise<string> {
  const dir = join(folder, `${name}-${version}`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${name}.py`), `VERSION = '${version}'\n`);
  const classifiers = Array.from({ length: 150 }, () => '"Programming Language :: Python :: 3"').join(', ');
  writeFileSync(
    join(dir, 'pyproject.toml'),
    `[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "${name}"
version = "${version}"
description = "A package of the test"
requires-python = ">=3.6"
classifiers = [${classifiers}]
[tool.setuptools]
py-modules = ["${name}"]
`,
  );
  await must(dir, python, ['-m', 'pip', 'wheel', '--quiet', '--no-build-isolation', '--no-deps', '.'], QUIET);
  const [file] = globSync('*.whl', { cwd: dir });
  return join(dir, file!);
}

const upload = (id: number, file: string, user: string, secret: string, ...more: string[]) =>
  run(folder, python, ['-m', 'twine', 'upload', '--disable-progress-bar', ...more, file], {
    TWINE_REPOSITORY_URL: `${url}/api/v4/projects/${id}/packages/pypi`,
    TWINE_USERNAME: user,
    TWINE_PASSWORD: secret,
    TWINE_NON_INTERACTIVE: '1',
    COLUMNS: '400',
  });

const install = (index: string, name: string, target: string, ...more: string[]) =>
  run(
    folder,
    python,
    ['-m', 'pip', 'install', '--index-url', index, '--target', join(folder, target), ...more, name],
    QUIET,
  );

const TESTS: Record<string, () => Promise<void>> = {
  'twine publishes, and is told what is there and who may not': async () => {
    const { id } = await project('private');
    const file = await wheel('twine_lib', '1.0.0');
    const first = await upload(id, file, '__token__', token);
    assert.ok(first.ok, first.text);
    // twine skips what is there only at addresses that it knows; it tells them by these words.
    const again = await upload(id, file, '__token__', token, '--verbose');
    assert.ok(!again.ok && /already\s+been\s+taken/.test(again.text), again.text);
    const nobody = await upload(id, file, 'somebody', 'glpat-of-nobody-00000000');
    assert.ok(!nobody.ok && /401/.test(nobody.text), nobody.text);
  },
  'pip installs from a private project by name and by version': async () => {
    const { id } = await project('private');
    for (const version of ['1.0.0', '1.1.0']) {
      const { ok, text } = await upload(id, await wheel('pip_lib', version), '__token__', token);
      assert.ok(ok, text);
    }
    const index = `${at('user', token)}/api/v4/projects/${id}/packages/pypi/simple`;
    const newest = await install(index, 'pip.Lib', 'newest');
    assert.ok(newest.ok && /pip[_-]lib-1\.1\.0/.test(newest.text), newest.text);
    const older = await install(`${index}/`, 'pip_lib==1.0.0', 'older', '--require-virtualenv');
    assert.ok(older.ok, older.text);
    assert.ok(existsSync(join(folder, 'older/pip_lib.py')));
    const anonymous = await install(`${url}/api/v4/projects/${id}/packages/pypi/simple`, 'pip_lib', 'anonymous');
    assert.ok(!anonymous.ok, anonymous.text);
  },
  'pip asks for credentials of the netrc file when it is asked': async () => {
    const { id } = await project('private');
    const { ok, text } = await upload(id, await wheel('netrc_lib', '1.0'), '__token__', token);
    assert.ok(ok, text);
    writeFileSync(join(folder, '.netrc'), `machine ${new URL(url).hostname} login any password ${token}\n`, {
      mode: 0o600,
    });
    const got = await install(`${url}/api/v4/projects/${id}/packages/pypi/simple`, 'netrc_lib', 'netrc');
    writeFileSync(join(folder, '.netrc'), '', { mode: 0o600 });
    assert.ok(got.ok, got.text);
  },
  'pip installs from a group, with a deploy token and without any': async () => {
    const group = await api<{ id: number }>('POST', '/groups', { name: 'pypi', path: 'pypi', visibility: 'public' });
    const [open, closed] = [await project('public', group.id), await project('private', group.id)];
    for (const [{ id }, name] of [
      [open, 'open_lib'],
      [closed, 'closed_lib'],
    ] as const) {
      const { ok, text } = await upload(id, await wheel(name, '1.0'), '__token__', token);
      assert.ok(ok, text);
    }
    const deploy = await api<{ username: string; token: string }>('POST', `/groups/${group.id}/deploy_tokens`, {
      name: 'reads',
      scopes: ['read_package_registry'],
    });
    const path = `/api/v4/groups/${group.id}/-/packages/pypi/simple`;
    const withToken = await install(`${at(deploy.username, deploy.token)}${path}`, 'closed-lib', 'closed');
    assert.ok(withToken.ok, withToken.text);
    const anonymous = await install(`${url}${path}`, 'open-lib', 'open');
    assert.ok(anonymous.ok, anonymous.text);
    const hidden = await install(`${url}${path}`, 'closed-lib', 'hidden');
    assert.ok(!hidden.ok, hidden.text);
  },
  'pip and uv read what a wheel needs without it': async () => {
    const { id } = await project('public');
    const file = await wheel('meta_lib', '1.0.0');
    const { ok, text } = await upload(id, file, '__token__', token);
    assert.ok(ok, text);
    const index = `${url}/api/v4/projects/${id}/packages/pypi/simple`;
    const resolved = await install(index, 'meta_lib', 'dry', '--dry-run', '-vv');
    assert.ok(resolved.ok && /meta_lib-1\.0\.0[^ ]*\.whl\.metadata/.test(resolved.text), resolved.text);
    const env = { UV_CACHE_DIR: join(folder, 'uv-meta'), UV_NO_CONFIG: '1', UV_PYTHON: python };
    writeFileSync(join(folder, 'needs.in'), 'meta-lib\n');
    const compile = ['pip', 'compile', '--verbose', '--index-url', index, 'needs.in'];
    const compiled = await must(folder, join(programs, 'uv'), compile, env);
    assert.match(compiled, /meta-lib==1\.0\.0/);
  },
  'uv publishes and installs': async () => {
    const { id } = await project('private');
    const base = `/api/v4/projects/${id}/packages/pypi`;
    const uv = join(programs, 'uv');
    const env = { UV_CACHE_DIR: join(folder, 'uv'), UV_NO_CONFIG: '1', UV_PYTHON: python };
    const file = await wheel('uv_lib', '2.0');
    await must(
      folder,
      uv,
      ['publish', '--publish-url', `${url}${base}`, '--username', '__token__', '--password', token, file],
      env,
    );
    const index = `${at('__token__', token)}${base}/simple`;
    await must(folder, uv, ['pip', 'install', '--index-url', index, '--target', join(folder, 'by-uv'), 'uv-lib'], env);
    assert.ok(existsSync(join(folder, 'by-uv/uv_lib.py')));
  },
};

await runTests('twine, pip and uv', TESTS);
