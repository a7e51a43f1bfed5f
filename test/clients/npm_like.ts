/** Publishes and installs packages with yarn or pnpm. The arguments are its name and its program. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, runTests, token, url } from './support.ts';

const [name = '', program = ''] = process.argv.slice(2);
const root = `${url}/api/v4`;
const lockFile = { yarn: 'yarn.lock', pnpm: 'pnpm-lock.yaml' }[name] ?? '';
const frozen = ['install', '--frozen-lockfile'];

let count = 0;
function place(manifest: object, registry: string): string {
  count += 1;
  const dir = join(folder, `place-${count}`);
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  const host = root.replace(/^https?:/, '');
  const auth = ['', `${registry}/`].map((at) => `${host}/${at}:_authToken=${token}`);
  const settings = [`@acme:registry=${root}/${registry}/`, ...auth, 'always-auth=true', ''].join('\n');
  writeFileSync(join(dir, '.npmrc'), settings);
  return dir;
}
const call = (dir: string, ...args: string[]) => must(dir, process.execPath, [program, ...args]);

const group = await api<{ id: number }>('POST', '/groups', { name: 'acme', path: 'acme', visibility: 'private' });
const project = await api<{ id: number }>('POST', '/projects', { path: 'lib', namespace_id: group.id });
const registry = `projects/${project.id}/packages/npm`;

await runTests(name, {
  'publishes and installs, and once more from the lock file': async () => {
    const dir = place({ name: '@acme/tool', version: '1.0.0', bin: { tool: 'cli.js' } }, registry);
    writeFileSync(join(dir, 'cli.js'), "#!/usr/bin/env node\nconsole.log('it works')\n");
    await call(dir, 'publish', ...(name === 'yarn' ? ['--new-version', '1.0.0'] : ['--no-git-checks']));
    for (const from of [registry, `groups/${group.id}/-/packages/npm`, 'packages/npm']) {
      const consumer = place({ name: 'consumer', version: '1.0.0', private: true }, from);
      await call(consumer, 'add', '@acme/tool');
      assert.match(readFileSync(join(consumer, lockFile), 'utf8'), /sha512-/);
      rmSync(join(consumer, 'node_modules'), { recursive: true });
      await call(consumer, ...frozen);
      assert.match(await must(consumer, join(consumer, 'node_modules/.bin/tool'), []), /it works/);
    }
  },
});
