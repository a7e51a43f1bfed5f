/** Works with the unmodified helm, whose program is the argument; address and token come from the environment. Its plugin for pushing is done without: charts go up as curl sends them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const env = {
  HELM_CACHE_HOME: join(folder, 'cache'),
  HELM_CONFIG_HOME: join(folder, 'config'),
  HELM_DATA_HOME: join(folder, 'data'),
};
const helm = (...args: string[]) => must(folder, program, args, env);

let count = 0;
async function project(): Promise<number> {
  count += 1;
  return (await api<{ id: number }>('POST', '/projects', { name: `helm-${count}`, visibility: 'private' })).id;
}

/** Makes a chart and packs it. @returns its file */
async function packed(name: string, version: string): Promise<string> {
  if (!existsSync(join(folder, name))) await helm('create', name);
  await helm('package', name, '--version', version, '--app-version', '1.10');
  return join(folder, `${name}-${version}.tgz`);
}

async function push(id: number, channel: string, file: string): Promise<void> {
  const form = new FormData();
  form.append('force', '');
  form.append('chart', new Blob([readFileSync(file)]), basename(file));
  const response = await fetch(`${url}/api/v4/projects/${id}/packages/helm/api/${channel}/charts`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`root:${token}`).toString('base64')}` },
    body: form,
  });
  assert.equal(response.status, 201, await response.text());
}

const repository = (id: number, channel: string) => `${url}/api/v4/projects/${id}/packages/helm/${channel}`;
const add = (name: string, id: number, secret = token) =>
  run(
    folder,
    program,
    ['repo', 'add', name, repository(id, 'stable'), '--username', 'root', '--password', secret],
    env,
  );

const TESTS: Record<string, () => Promise<void>> = {
  'a repository is added by those who may read it': async () => {
    const id = await project();
    const added = await add('added', id);
    assert.ok(added.ok, added.text);
    const refused = await add('refused', id, 'glpat-of-nobody-00000000');
    assert.ok(!refused.ok && /401/.test(refused.text), refused.text);
  },
  'charts are found, shown, pulled and rendered': async () => {
    const id = await project();
    for (const version of ['1.0.0', '1.1.0', '1.2.0-rc.1']) await push(id, 'stable', await packed('app', version));
    const { ok, text } = await add('charts', id);
    assert.ok(ok, text);
    const output = await helm('search', 'repo', 'charts/app', '--versions', '--output', 'json');
    const versions = (JSON.parse(output) as { version: string; app_version: string }[]).map((each) => [
      each.version,
      each.app_version,
    ]);
    assert.deepEqual(versions, [
      ['1.1.0', '1.10'],
      ['1.0.0', '1.10'],
    ]);
    assert.match(await helm('show', 'chart', 'charts/app', '--devel'), /version: 1\.2\.0-rc\.1/);
    await helm('pull', 'charts/app', '--version', '1.0.0', '--destination', join(folder, 'config'));
    const pulled = readFileSync(join(folder, 'config/app-1.0.0.tgz'));
    assert.ok(pulled.equals(readFileSync(join(folder, 'app-1.0.0.tgz'))));
    assert.match(await helm('template', 'mine', 'charts/app'), /helm\.sh\/chart: app-1\.1\.0/);
  },
  'what is pushed again is there after an update': async () => {
    const id = await project();
    await push(id, 'stable', await packed('again', '1.0.0'));
    await add('again', id);
    writeFileSync(join(folder, 'again/values.yaml'), 'replicaCount: 7\n');
    await push(id, 'stable', await packed('again', '1.0.0'));
    await helm('repo', 'update', 'again');
    assert.match(await helm('show', 'values', 'again/again'), /replicaCount: 7/);
  },
  'a chart is a dependency of another': async () => {
    const id = await project();
    await push(id, 'stable', await packed('below', '1.0.0'));
    await add('below', id);
    await helm('create', 'above');
    const dependency = `\ndependencies:\n  - name: below\n    version: ~1.0.0\n    repository: "${repository(id, 'stable')}"\n`;
    writeFileSync(join(folder, 'above/Chart.yaml'), dependency, { flag: 'a' });
    await helm('dependency', 'update', 'above');
    assert.ok(existsSync(join(folder, 'above/charts/below-1.0.0.tgz')));
    await push(id, 'stable', await packed('above', '1.0.0'));
    await helm('repo', 'update', 'below');
    assert.match(
      await helm('show', 'chart', 'below/above'),
      /name: above[\s\S]*name: below|name: below[\s\S]*name: above/,
    );
  },
};

await runTests('helm', TESTS);
