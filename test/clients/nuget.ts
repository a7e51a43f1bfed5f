/** Works with the unmodified nuget of Mono, whose program is the argument; address and token come from the environment. It speaks version 2 of the protocol, and sends no credentials to read a source that can be asked for its services without. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const nuget = (...args: string[]) => must(folder, program, [...args, '-NonInteractive']);
const source = (id: number) => `${url}/api/v4/projects/${id}/packages/nuget/v2`;

let count = 0;
async function project(visibility = 'public'): Promise<number> {
  count += 1;
  return (await api<{ id: number }>('POST', '/projects', { name: `nuget-${count}`, visibility })).id;
}

/** Makes a package with a file that names its version. @returns its file, by a path below the folder: nuget takes no other */
async function packed(id: string, version: string, dependencies = ''): Promise<string> {
  const at = join(folder, `${id}-${version}`);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'a.txt'), `${id} ${version}\n`);
  writeFileSync(
    join(at, `${id}.nuspec`),
    `<?xml version="1.0"?><package><metadata><id>${id}</id><version>${version}</version><authors>Ada</authors><description>Made for a test</description>${dependencies}</metadata><files><file src="a.txt" target="content"/></files></package>`,
  );
  await nuget('pack', join(at, `${id}.nuspec`), '-OutputDirectory', at);
  return `${id}-${version}/${id}.${version}.nupkg`;
}

/** A key that is no good is asked for anew, which nobody can answer. */
const push = (id: number, file: string, key = token) =>
  run(folder, program, ['push', file, key, '-Source', source(id), '-NonInteractive']);

async function pushed(id: number, file: string): Promise<void> {
  const { ok, text } = await push(id, file);
  assert.ok(ok, text);
}

/** Where a terminal is told to move, and in which colours to write. */
const CONTROLS = new RegExp(`${String.fromCharCode(27)}(?:\\[[0-9;?]*[A-Za-z]|[=>])`, 'g');

/** What a source lists. Mono writes blank lines without end where there is no terminal of some width, so it is given one. */
async function list(id: number, ...args: string[]): Promise<string[]> {
  const command = ['exec timeout 600', program, 'list', ...args, '-Source', source(id), '-NonInteractive'].join(' ');
  const text = await must(folder, 'script', ['-qec', `stty cols 200; ${command}`, '/dev/null'], { TERM: 'xterm' });
  const lines = text
    .replace(CONTROLS, '')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '' && line !== 'No packages found.');
}

const TESTS: Record<string, () => Promise<void>> = {
  'a package is pushed by those who may': async () => {
    const id = await project('private');
    const file = await packed('Pushed', '1.0.0');
    const refused = await push(id, file, 'glpat-of-nobody-00000000');
    assert.ok(!refused.ok && /credentials/.test(refused.text), refused.text);
    await pushed(id, file);
    const path = `/projects/${id}/packages/nuget/download/pushed/1.0.0/pushed.1.0.0.nupkg`;
    const answer = await fetch(`${url}/api/v4${path}`, { headers: { 'private-token': token } });
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(folder, file))), 'its bytes are kept');
  },
  'packages are listed': async () => {
    const id = await project();
    for (const version of ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc1'])
      await pushed(id, await packed('List.Lib', version));
    await pushed(id, await packed('Other', '0.1.0'));
    assert.deepEqual(await list(id), ['List.Lib 1.10.0', 'Other 0.1.0']);
    assert.deepEqual(await list(id, 'lib'), ['List.Lib 1.10.0']);
    assert.deepEqual(await list(id, 'lib', '-Prerelease'), ['List.Lib 2.0.0-rc1']);
    assert.deepEqual((await list(id, 'lib', '-AllVersions')).sort(), [
      'List.Lib 1.0.0',
      'List.Lib 1.10.0',
      'List.Lib 1.9.0',
    ]);
    assert.deepEqual(await list(id, 'nothing'), []);
    for (let minor = 0; minor < 35; minor += 1) await pushed(id, await packed('Many', `1.${minor}.0`));
    assert.equal((await list(id, 'many', '-AllVersions')).length, 35, 'of several pages');
  },
  'a package is installed with what it needs': async () => {
    const id = await project();
    for (const version of ['1.0.0', '1.5.0', '2.0.0']) await pushed(id, await packed('Below', version));
    const needs = '<dependencies><dependency id="Below" version="[1.0,2.0)"/></dependencies>';
    await pushed(id, await packed('Above', '1.0.0', needs));
    const out = join(folder, 'installed');
    await nuget('install', 'Above', '-Source', source(id), '-OutputDirectory', out);
    assert.deepEqual(readdirSync(out).sort(), ['Above.1.0.0', 'Below.1.0.0']);
    assert.equal(readFileSync(join(out, 'Below.1.0.0/content/a.txt'), 'utf8'), 'Below 1.0.0\n');
    await nuget('install', 'below', '-Version', '1.5.0', '-Source', source(id), '-OutputDirectory', out);
    assert.ok(existsSync(join(out, 'Below.1.5.0')));
    const missing = await run(folder, program, ['install', 'Nowhere', '-Source', source(id), '-NonInteractive']);
    assert.ok(!missing.ok && /Unable to find/.test(missing.text), missing.text);
  },
  'a version is deleted': async () => {
    const id = await project();
    for (const version of ['1.0.0', '1.1.0']) await pushed(id, await packed('Deleted', version));
    await nuget('delete', 'Deleted', '1.1.0', token, '-Source', source(id));
    assert.deepEqual(await list(id), ['Deleted 1.0.0']);
  },
};

await runTests('nuget', TESTS);
