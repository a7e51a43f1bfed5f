/**
 * Releases projects with the unmodified glab, by hand and in a job with `release:`. Its program is the argument; address and
 * token come from the environment. How it knows the server is said in `glab.ts`.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { TestRunner } from './runner.ts';
import { address, api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const { hostname, host } = new URL(url);
const env = { GLAB_CHECK_UPDATE: 'false', GITLAB_HOST: hostname, NO_PROMPT: '1', NO_COLOR: '1' };
const git = (dir: string, ...args: string[]) => must(dir, 'git', args);
const glab = (dir: string, ...args: string[]) => must(dir, program, args, env);

interface Release {
  name: string;
  tag_name: string;
  description: string;
  author: { username: string };
  milestones?: { title: string; state: string }[];
  assets: { links: { name: string; url: string; direct_asset_url: string; link_type: string }[] };
}

let count = 0;
/** A project with a README, and a clone of it. */
async function project(): Promise<{ id: number; base: string; path: string; dir: string }> {
  count += 1;
  const path = `released-${count}`;
  const { id } = await api<{ id: number }>('POST', '/projects', { path, initialize_with_readme: true });
  await git(folder, 'clone', '--quiet', address(`root/${path}`));
  const dir = join(folder, path);
  await git(dir, 'remote', 'set-url', 'origin', `http://${hostname}/root/${path}.git`);
  return { id, base: `/projects/${id}`, path, dir };
}

/** What gitlab-runner does to the text of this step before any shell sees it: it knows the variables of the job, and no others. */
const asRunner = (text: string, variables: Readonly<Record<string, string | undefined>>): string =>
  text.replace(
    /\$(?:\{(\w+)\}|([*#$@!?\d-])|(\w+))/g,
    (_, braced, special, name) => variables[braced ?? special ?? name] ?? '',
  );

const CONFIG = `
publish:
  script: echo built
  release:
    tag_name: 'v\${CI_PIPELINE_IID}.0'
    tag_message: 'Of \`pipeline\` "$CI_PIPELINE_IID"'
    name: 'Release $CI_PIPELINE_IID'
    description: NOTES.md
    milestones: [First]
    assets:
      links:
        - name: 'Docs "here"'
          url: https://example.org/docs
          filepath: /docs/all.html
          link_type: runbook
`;

const TESTS: Record<string, () => Promise<void>> = {
  'it signs in': async () => {
    const at = ['--hostname', hostname, '--api-host', host, '--api-protocol', 'http', '--git-protocol', 'http'];
    await glab(folder, 'auth', 'login', ...at, '--token', token);
  },
  'a release is made with files and links, changed, listed, shown, downloaded and deleted': async () => {
    const { base, dir } = await project();
    await api('POST', `${base}/milestones`, { title: 'First' });
    writeFileSync(join(dir, 'app.txt'), 'the app\n');
    const links = JSON.stringify([{ name: 'Site', url: 'https://example.org/', link_type: 'other' }]);
    const create = (...args: string[]) => glab(dir, 'release', 'create', 'v1.0', ...args);
    const files = ['app.txt#The app#package', '--assets-links', links];
    await create(...files, '--name', 'One', '--notes', 'All new', '--ref', 'main', '--milestone', 'First');
    const made = await api<Release>('GET', `${base}/releases/v1.0`);
    assert.deepEqual([made.name, made.description, made.author.username], ['One', 'All new', 'root']);
    assert.deepEqual(
      made.milestones?.map(({ title, state }) => [title, state]),
      [['First', 'closed']],
    );
    assert.deepEqual(made.assets.links.map(({ name, link_type }) => [name, link_type]).sort(), [
      ['Site', 'other'],
      ['The app', 'package'],
    ]);
    await create('--name', 'One', '--notes', 'All newer');
    assert.equal((await api<Release>('GET', `${base}/releases/v1.0`)).description, 'All newer');
    const again = await run(dir, program, ['release', 'create', 'v1.0', '--notes', 'x', '--no-update'], env);
    assert.ok(!again.ok && /exists/.test(again.text), again.text);
    assert.match(await glab(dir, 'release', 'list'), /One\s+v1\.0/);
    assert.match(await glab(dir, 'release', 'view', 'v1.0'), /One[\s\S]*newer[\s\S]*The app/);
    writeFileSync(join(dir, 'more.txt'), 'more\n');
    await glab(dir, 'release', 'upload', 'v1.0', 'more.txt');
    const into = join(folder, `download-${count}`);
    mkdirSync(into);
    await glab(dir, 'release', 'download', 'v1.0', '--dir', into, '--asset-name', '*.txt');
    assert.equal(readFileSync(join(into, 'more.txt'), 'utf8'), 'more\n');
    await glab(dir, 'release', 'delete', 'v1.0', '--yes', '--with-tag');
    assert.deepEqual(await api('GET', `${base}/releases`), []);
    assert.deepEqual(await api('GET', `${base}/repository/tags`), []);
  },
  'a job with release: makes one, by the token of the job': async () => {
    const { id, base, dir, path } = await project();
    await api('POST', `${base}/milestones`, { title: 'First' });
    const runner = await TestRunner.of(id);
    await api('POST', `${base}/repository/commits`, {
      branch: 'main',
      commit_message: 'Release it',
      actions: [
        { action: 'create', file_path: '.gitlab-ci.yml', content: CONFIG },
        { action: 'create', file_path: 'NOTES.md', content: '# News\n\nIt costs $5 & `more`\n' },
      ],
    });
    const job = await runner.takeWhenThere({ multi_build_steps: true });
    const step = job.steps.find(({ name }) => name === 'release');
    const variables = Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));
    writeFileSync(join(dir, 'NOTES.md'), '# News\n\nIt costs $5 & `more`\n');
    const asJob = {
      ...variables,
      CI_PROJECT_DIR: dir,
      PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
      NO_PROMPT: '1',
    };
    const script = asRunner(step!.script.join('\n'), asJob);
    const ran = await run(dir, 'sh', ['-e', '-c', script], asJob);
    assert.ok(ran.ok, ran.text);
    const [release] = await api<Release[]>('GET', `${base}/releases`);
    assert.equal(release?.name, `Release ${variables.CI_PIPELINE_IID}`);
    assert.equal(release?.tag_name, `v${variables.CI_PIPELINE_IID}.0`);
    assert.equal(release?.description.trim(), '# News\n\nIt costs $5 & `more`');
    assert.deepEqual(
      release?.milestones?.map(({ title, state }) => [title, state]),
      [['First', 'active']],
    );
    const [link] = release?.assets.links ?? [];
    assert.deepEqual([link?.name, link?.link_type], ['Docs "here"', 'runbook']);
    assert.ok(link?.direct_asset_url.endsWith(`/root/${path}/-/releases/${release?.tag_name}/downloads/docs/all.html`));
    const tag = await api<{ message: string }>('GET', `${base}/repository/tags/${release?.tag_name}`);
    assert.equal(tag.message, `Of \`pipeline\` "${variables.CI_PIPELINE_IID}"`);
    const again = await run(dir, 'sh', ['-e', '-c', script], asJob);
    assert.ok(!again.ok, again.text);
  },
};

await runTests('glab releases', TESTS);
