/** Renovate, unmodified, keeps a project up to date with packages of the same server. Arguments are the folder it is installed in and the node that it runs on. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, runTests, token, url } from './support.ts';

const [installed = '', node = ''] = process.argv.slice(2);
const program = join(installed, 'node_modules/renovate/dist/renovate.js');
const host = url.replace(/^https?:/, '');

interface MergeRequest {
  iid: number;
  title: string;
  description: string;
  source_branch: string;
  target_branch: string;
  labels: string[];
  sha: string;
  updated_at: string;
}

const packages = await api<{ id: number }>('POST', '/projects', { path: 'packages' });
const registry = `/api/v4/projects/${packages.id}/packages/npm/`;

async function publish(version: string): Promise<void> {
  const dir = join(folder, `kept-${version}`);
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: '@root/kept', version }));
  writeFileSync(join(dir, '.npmrc'), `@root:registry=${url}${registry}\n${host}${registry}:_authToken=${token}\n`);
  await must(dir, 'npm', ['publish']);
}

/** Runs it for a project. @returns its log */
const renovate = (path: string, more: object = {}): Promise<string> =>
  must(folder, node, [program], {
    RENOVATE_CONFIG: JSON.stringify({
      platform: 'gitlab',
      endpoint: `${url}/api/v4/`,
      token,
      repositories: [path],
      gitAuthor: 'Renovate <renovate@example.org>',
      baseDir: join(folder, 'renovate'),
      // The token of the platform is shown to no registry.
      hostRules: [{ hostType: 'npm', matchHost: url, token }],
      ...more,
    }),
    RENOVATE_X_IGNORE_RE2: 'true',
  });

async function project(path: string, more: Record<string, string> = {}): Promise<string> {
  const { id } = await api<{ id: number }>('POST', '/projects', { path });
  const files = {
    'package.json': JSON.stringify({ name: path, version: '1.0.0', dependencies: { '@root/kept': '1.0.0' } }, null, 2),
    '.npmrc': `@root:registry=${url}${registry}\n`,
    ...more,
  };
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  await api('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'First', actions });
  return `/projects/${id}`;
}

const opened = (base: string) => api<MergeRequest[]>('GET', `${base}/merge_requests?state=opened`);
/** The version of the dependency that a branch asks for. */
async function fieldIn(base: string, branch: string): Promise<unknown> {
  const { content } = await api<{ content: string }>(
    'GET',
    `${base}/repository/files/package.json?ref=${encodeURIComponent(branch)}`,
  );
  return JSON.parse(Buffer.from(content, 'base64').toString()).dependencies['@root/kept'];
}
const merged = (base: string) => api<MergeRequest[]>('GET', `${base}/merge_requests?state=merged`);

for (const version of ['1.0.0', '1.1.0', '2.0.0']) await publish(version);

await runTests('renovate', {
  'proposes its configuration, then updates, lists them in an issue, and finds nothing more to do': async () => {
    const base = await project('watched');
    await renovate('root/watched');
    const [proposal, ...others] = await opened(base);
    assert.ok(proposal !== undefined && others.length === 0);
    assert.equal(proposal.source_branch, 'renovate/configure');
    await api('PUT', `${base}/merge_requests/${proposal.iid}/merge`);

    const settings = { dependencyDashboard: true, labels: ['dependencies'], prHourlyLimit: 0 };
    await renovate('root/watched', settings);
    const updates = (await opened(base)).sort((a, b) => a.source_branch.localeCompare(b.source_branch));
    assert.deepEqual(
      updates.map(({ title, source_branch, target_branch, labels }) => [title, source_branch, target_branch, labels]),
      [
        ['Update dependency @root/kept to v1.1.0', 'renovate/root-kept-1.x', 'main', ['dependencies']],
        ['Update dependency @root/kept to v2', 'renovate/root-kept-2.x', 'main', ['dependencies']],
      ],
    );
    for (const [index, version] of ['1.1.0', '2.0.0'].entries()) {
      const { description, source_branch } = updates[index]!;
      assert.ok(
        description.includes('root/kept | dependencies |') && description.includes(`\`1.0.0\` → \`${version}\``),
        description,
      );
      assert.equal(await fieldIn(base, source_branch), version);
    }
    assert.equal(await fieldIn(base, 'main'), '1.0.0');
    const issues = await api<{ title: string; description: string }[]>('GET', `${base}/issues`);
    assert.deepEqual(
      issues.map((each) => each.title),
      ['Dependency Dashboard'],
    );
    assert.match(issues[0]!.description, /renovate\/root-kept-2\.x/);

    await renovate('root/watched', settings);
    const again = (await opened(base)).sort((a, b) => a.source_branch.localeCompare(b.source_branch));
    assert.deepEqual(again, updates);
  },
  'leaves alone what is closed, and rebases what is behind': async () => {
    const base = await project('moving', { 'renovate.json': JSON.stringify({ rebaseWhen: 'behind-base-branch' }) });
    await renovate('root/moving', { prHourlyLimit: 0 });
    const updates = await opened(base);
    assert.equal(updates.length, 2);
    const [closed, open] = ['2.x', '1.x'].map((end) => updates.find((each) => each.source_branch.endsWith(end))!);
    await api('PUT', `${base}/merge_requests/${closed!.iid}`, { state_event: 'close' });
    const actions = [{ action: 'create', file_path: 'README.md', content: 'Moved on\n' }];
    await api('POST', `${base}/repository/commits`, { branch: 'main', commit_message: 'Go on', actions });
    await renovate('root/moving', { prHourlyLimit: 0 });
    const now = await opened(base);
    assert.deepEqual(
      now.map((each) => each.iid),
      [open!.iid],
    );
    assert.notEqual(now[0]!.sha, open!.sha);
  },
  'merges by itself what it may': async () => {
    const config = { packageRules: [{ matchUpdateTypes: ['minor'], automerge: true, platformAutomerge: false }] };
    const base = await project('merging', {
      'renovate.json': JSON.stringify({ ...config, ignoreTests: true }),
    });
    await renovate('root/merging', { prHourlyLimit: 0 });
    await renovate('root/merging', { prHourlyLimit: 0 });
    assert.deepEqual(
      (await merged(base)).map((each) => each.source_branch),
      ['renovate/root-kept-1.x'],
    );
    assert.equal(await fieldIn(base, 'main'), '1.1.0');
  },
});
