/** release-it, unmodified, releases a project. The folder it is installed in is the argument. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { address, api, folder, must, run, runTests, token, url } from './support.ts';

const [installed = ''] = process.argv.slice(2);
const program = join(installed, 'node_modules/release-it/bin/release-it.js');

interface Release {
  name: string;
  description: string;
  milestones: { title: string }[];
  assets: { links: { name: string; url: string }[] };
}

/** A project with a commit, and a clone that can be released. */
async function scene(path: string, gitlab: object = {}): Promise<{ base: string; dir: string }> {
  const { id } = await api<{ id: number }>('POST', '/projects', { path, initialize_with_readme: true });
  const dir = join(folder, path);
  await must(folder, 'git', ['clone', '--quiet', address(`root/${path}`), dir]);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: path }));
  writeFileSync(
    join(dir, '.release-it.json'),
    JSON.stringify({
      npm: false,
      gitlab: { release: true, origin: url, releaseName: 'Release ${version}', ...gitlab },
    }),
  );
  writeFileSync(join(dir, 'notes.txt'), 'What is new\n');
  await must(dir, 'git', ['add', '.']);
  await must(dir, 'git', ['commit', '--quiet', '-m', 'Make it greet']);
  await must(dir, 'git', ['push', '--quiet']);
  return { base: `/projects/${id}`, dir };
}

const release = (dir: string, secret = token) =>
  run(dir, process.execPath, [program, 'minor', '--ci'], { GITLAB_TOKEN: secret });

await runTests('release-it', {
  'a release has its tag, notes, milestone and files': async () => {
    const { base, dir } = await scene('greeting', { assets: ['notes.txt'], milestones: ['1.1'] });
    await api('POST', `${base}/milestones`, { title: '1.1' });
    const { ok, text } = await release(dir);
    assert.ok(ok, text);
    const made = await api<Release>('GET', `${base}/releases/0.1.0`);
    assert.equal(made.name, 'Release 0.1.0');
    assert.match(made.description, /Make it greet/);
    assert.deepEqual(
      made.milestones.map((each) => each.title),
      ['1.1'],
    );
    const [link] = made.assets.links;
    assert.equal(link?.name, 'notes.txt');
    const answer = await fetch(link!.url, { headers: { 'private-token': token } });
    assert.equal(await answer.text(), 'What is new\n');
  },
  'a file is uploaded as a package': async () => {
    const { base, dir } = await scene('packaged', {
      assets: ['notes.txt'],
      useGenericPackageRepositoryForAssets: true,
    });
    const { ok, text } = await release(dir);
    assert.ok(ok, text);
    const [link] = (await api<Release>('GET', `${base}/releases/0.1.0`)).assets.links;
    const answer = await fetch(link!.url, { headers: { 'private-token': token } });
    assert.equal(await answer.text(), 'What is new\n');
  },
  'a milestone that is not there and a token of nobody are refused before anything is tagged': async () => {
    const { base, dir } = await scene('refused', { milestones: ['9.9'] });
    const missing = await release(dir);
    assert.ok(!missing.ok && /milestone/.test(missing.text), missing.text);
    const stranger = await release(dir, 'glpat-of-nobody-00000000');
    assert.ok(!stranger.ok && /Could not authenticate/.test(stranger.text), stranger.text);
    assert.deepEqual(await api('GET', `${base}/repository/tags`), []);
  },
});
