/**
 * Releases a project with the unmodified semantic-release and its plugin for this API. The folder they are installed in is the argument.
 * All steps of the plugin run: verifyConditions, publish with assets of both kinds, success and fail.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { address, api, folder, must, run, runTests, token, url } from './support.ts';

const [installed = ''] = process.argv.slice(2);
const cli = join(installed, 'node_modules/semantic-release/bin/semantic-release.js');

interface Release {
  tag_name: string;
  description: string;
  milestones?: { title: string }[];
  assets: { links: { name: string; url: string; direct_asset_url: string; link_type: string }[] };
}

interface Thread {
  body: string;
  system: boolean;
}

const notes = async (path: string) =>
  (await api<Thread[]>('GET', `${path}/notes`)).filter((note) => !note.system).map((note) => note.body);
const git = (dir: string, ...args: string[]) => must(dir, 'git', args);

/** A project whose merged merge request adds a feature and closes an issue. @returns its ids and a clone of it */
async function project(path: string): Promise<{ api: string; issue: string; merge: string; dir: string }> {
  const { id } = await api<{ id: number }>('POST', '/projects', { path, initialize_with_readme: true });
  const issue = await api<{ iid: number }>('POST', `/projects/${id}/issues`, { title: 'It cannot greet' });
  await api('POST', `/projects/${id}/repository/commits`, {
    branch: 'greeting',
    start_branch: 'main',
    commit_message: 'feat: greet whoever comes',
    actions: [{ action: 'create', file_path: 'greet.txt', content: 'Hello\n' }],
  });
  const merge = await api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'greeting',
    target_branch: 'main',
    title: 'Greet',
    description: `Closes #${issue.iid}`,
  });
  await api('PUT', `/projects/${id}/merge_requests/${merge.iid}/merge`);
  // The merge closes the issue after its answer.
  const deadline = Date.now() + 600_000;
  const state = async () => (await api<{ state: string }>('GET', `/projects/${id}/issues/${issue.iid}`)).state;
  while ((await state()) !== 'closed') {
    assert.ok(Date.now() < deadline, 'the merge has not closed the issue');
    await wait(50);
  }
  const dir = join(folder, path);
  await git(folder, 'clone', '--quiet', address(`root/${path}`), dir);
  const base = `/projects/${id}`;
  return { api: base, issue: `${base}/issues/${issue.iid}`, merge: `${base}/merge_requests/${merge.iid}`, dir };
}

/** Runs semantic-release in a clone. @param extra options of its configuration. @param secret the token it works with */
function release(dir: string, extra: object = {}, secret = token): Promise<{ ok: boolean; text: string }> {
  const path = dir.split('/').at(-1) ?? '';
  const plugin = ['@semantic-release/gitlab'];
  const options = {
    branches: ['main'],
    ci: false,
    repositoryUrl: `${url}/root/${path}.git`,
    plugins: ['@semantic-release/commit-analyzer', '@semantic-release/release-notes-generator'],
    verifyConditions: plugin,
    publish: plugin,
    success: plugin,
    fail: plugin,
    ...extra,
  };
  writeFileSync(join(dir, '.releaserc.json'), JSON.stringify(options));
  return run(dir, process.execPath, [cli], { GL_TOKEN: secret, GL_URL: url });
}

const TESTS: Record<string, () => Promise<void>> = {
  'a release puts its tag and notes on the server and tells the merge request and the issue': async () => {
    const made = await project('released');
    const first = await release(made.dir);
    assert.ok(first.ok, first.text);
    assert.match(first.text, /Published release 1\.0\.0 on default channel/);
    assert.deepEqual(
      (await api<{ name: string }[]>('GET', `${made.api}/repository/tags`)).map((tag) => tag.name),
      ['v1.0.0'],
    );
    assert.match(await git(made.dir, 'ls-remote', address('root/released')), /\trefs\/notes\/semantic-release/);
    const comments = [...(await notes(made.merge)), ...(await notes(made.issue))];
    assert.equal(comments.length, 2, comments.join());
    assert.match(comments[0] ?? '', /This MR is included in version 1\.0\.0/);
    assert.match(comments[1] ?? '', /This issue has been resolved in version 1\.0\.0/);

    const again = await release(made.dir);
    assert.ok(again.ok, again.text);
    assert.match(again.text, /There are no relevant changes/);
    assert.equal((await notes(made.merge)).length, 1);

    await api('POST', `${made.api}/repository/commits`, {
      branch: 'main',
      commit_message: 'fix: greet louder',
      actions: [{ action: 'update', file_path: 'greet.txt', content: 'Hello!\n' }],
    });
    // A new clone: what the first release noted is read from the server.
    const clone = join(folder, 'second/released');
    await git(folder, 'clone', '--quiet', address('root/released'), clone);
    const second = await release(clone);
    assert.ok(second.ok, second.text);
    assert.match(second.text, /Published release 1\.0\.1 on default channel/);
    assert.equal((await notes(made.merge)).length, 1);
  },
  'a release brings files that are uploaded, files that are packages, and addresses': async () => {
    const made = await project('with-assets');
    const milestone = await api<{ title: string }>('POST', `${made.api}/milestones`, { title: 'First' });
    writeFileSync(join(made.dir, 'app.txt'), 'the app');
    writeFileSync(join(made.dir, 'lib.txt'), 'the library');
    const assets = [
      { path: 'app.txt', label: 'The app', type: 'other', filepath: '/bin/app.txt' },
      { path: 'lib.txt', label: 'lib', type: 'package', target: 'generic_package' },
      { url: 'https://example.org/${nextRelease.version}', label: 'Docs', type: 'runbook' },
    ];
    const publish = [{ path: '@semantic-release/gitlab', assets, milestones: [milestone.title] }];
    const { ok, text } = await release(made.dir, { publish });
    assert.ok(ok, text);
    const [first] = await api<Release[]>('GET', `${made.api}/releases`);
    assert.equal(first?.tag_name, 'v1.0.0');
    assert.match(first?.description ?? '', /greet whoever comes/);
    assert.deepEqual(
      first?.milestones?.map(({ title }) => title),
      ['First'],
    );
    const links = Object.fromEntries((first?.assets.links ?? []).map((link) => [link.name, link]));
    assert.deepEqual(Object.keys(links).sort(), ['Docs', 'The app', 'lib']);
    assert.equal(links.Docs?.url, 'https://example.org/1.0.0');
    assert.deepEqual([links.lib?.link_type, links['The app']?.link_type], ['package', 'other']);
    const bytes = async (address = '') => {
      const response = await fetch(address, { headers: { 'private-token': token } });
      assert.equal(response.status, 200, address);
      return response.text();
    };
    assert.match(links['The app']?.direct_asset_url ?? '', /\/-\/releases\/v1\.0\.0\/downloads\/bin\/app\.txt$/);
    assert.equal(await bytes(links['The app']?.direct_asset_url), 'the app');
    const packages = await api<{ name: string; version: string }[]>('GET', `${made.api}/packages`);
    assert.deepEqual(
      packages.map(({ name, version }) => [name, version]),
      [['release', '1.0.0']],
    );
    assert.equal(await bytes(`${url}/api/v4${made.api}/packages/generic/release/1.0.0/lib`), 'the library');
  },
  'a release that fails opens an issue, the next failure adds to it': async () => {
    const made = await project('failing');
    const plugin = join(folder, 'refuse.cjs');
    writeFileSync(
      plugin,
      `exports.verifyRelease = () => {
        throw Object.assign(new Error('Not on a Friday'), { semanticRelease: true, code: 'EFRIDAY', details: 'Wait.' });
      };`,
    );
    for (const round of [0, 1]) {
      const { ok, text } = await release(made.dir, { verifyRelease: [plugin] });
      assert.ok(!ok && /Not on a Friday/.test(text), text);
      const issues = await api<{ iid: number; title: string; labels: string[]; description: string }[]>(
        'GET',
        `${made.api}/issues?state=opened`,
      );
      assert.deepEqual(
        issues.map((issue) => [issue.title, issue.labels]),
        [['The automated release is failing 🚨', ['semantic-release']]],
      );
      assert.match(issues[0]?.description ?? '', /Not on a Friday/);
      assert.equal((await notes(`${made.api}/issues/${issues[0]?.iid}`)).length, round);
    }
    assert.deepEqual(await api('GET', `${made.api}/repository/tags`), []);
  },
  'a token that may only read is refused before anything is done': async () => {
    const made = await project('guarded');
    const { id } = await api<{ id: number }>('GET', '/user');
    const expires_at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const reader = await api<{ token: string }>('POST', `/users/${id}/personal_access_tokens`, {
      name: 'reader',
      scopes: ['read_api', 'read_repository'],
      expires_at,
    });
    const { ok, text } = await release(made.dir, {}, reader.token);
    assert.ok(!ok && /EGITNOPERMISSION/.test(text), text);
    assert.deepEqual(await api('GET', `${made.api}/repository/tags`), []);
  },
};

await runTests('semantic-release', TESTS);
