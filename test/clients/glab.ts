/**
 * Works with the unmodified glab. Its program is the argument; address and token come from the environment.
 *
 * glab compares the host of a git remote, without its port, with the hosts it knows: so it knows the server by that name, with
 * the address of its API beside it. As git's credential helper it is asked with the port, so it knows that name, too. It checks
 * out merge requests over SSH, which git is told to do over HTTP.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { zipOf } from '../support/zip.ts';
import { TestRunner } from './runner.ts';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [program = ''] = process.argv.slice(2);
const { hostname, host } = new URL(url);
const env = { GLAB_CHECK_UPDATE: 'false', GITLAB_HOST: hostname, NO_PROMPT: '1', NO_COLOR: '1' };

const git = (dir: string, ...args: string[]) => must(dir, 'git', args);
const glab = (dir: string, ...args: string[]) => must(dir, program, args, env);

interface Issue {
  iid: number;
  title: string;
  state: string;
  labels: string[];
  confidential: boolean;
  weight: number | null;
}

interface MergeRequest {
  iid: number;
  title: string;
  state: string;
  labels: string[];
  draft: boolean;
}

const CONFIG = `stages: [build, test, ship]
build:
  stage: build
  script: make
test:
  stage: test
  script: make test
ship:
  stage: ship
  script: make ship
  when: manual
`;

/** Waits for what happens after an answer. */
async function until(come: () => Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (!(await come())) {
    assert.ok(Date.now() < deadline, otherwise);
    await wait(50);
  }
}

let count = 0;
/** A work tree of no project: outside of one glab asks whether to begin one. */
const desk = join(folder, 'desk');

/** A project with a README, made and cloned by glab. */
async function project(): Promise<{ name: string; base: string; dir: string }> {
  count += 1;
  const name = `glab-${count}`;
  await glab(desk, 'repo', 'create', name, '--readme', '--private', '--defaultBranch', 'main');
  await glab(folder, 'repo', 'clone', `root/${name}`);
  return { name, base: `/projects/root%2F${name}`, dir: join(folder, name) };
}

/** A commit on a branch of its own, from `main`. */
async function branch(dir: string, name: string): Promise<void> {
  await git(dir, 'switch', '--quiet', '--create', name, 'origin/main');
  writeFileSync(join(dir, `${name}.txt`), `${name}\n`);
  await git(dir, 'add', '--all');
  await git(dir, 'commit', '--quiet', '-m', `Work on ${name}`);
}

/** A member of the project. @returns what glab works as them with */
async function member(base: string, username: string, level: number): Promise<Record<string, string>> {
  const user = await api<{ id: number }>('POST', '/users', {
    username,
    name: username,
    email: `${username}@example.org`,
    password: randomBytes(12).toString('base64url'),
    skip_confirmation: true,
  });
  await api('POST', `${base}/members`, { user_id: user.id, access_level: level });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const made = await api<{ token: string }>('POST', `/users/${user.id}/personal_access_tokens`, {
    name: 'glab',
    scopes: ['api'],
    expires_at,
  });
  return { ...env, GITLAB_TOKEN: made.token };
}

const TESTS: Record<string, () => Promise<void>> = {
  'a login is kept and known, also to git': async () => {
    for (const name of [hostname, host]) {
      const at = ['--hostname', name, '--api-host', host, '--api-protocol', 'http', '--git-protocol', 'http'];
      await glab(folder, 'auth', 'login', ...at, '--token', token);
    }
    await git(folder, 'init', '--quiet', desk);
    await git(folder, 'config', '--global', 'credential.helper', `!${program} auth git-credential`);
    await git(folder, 'config', '--global', `url.${url}/.insteadOf`, `git@${hostname}:`);
    assert.match(await glab(folder, 'auth', 'status', '--hostname', hostname), /Logged in to \S+ as root/);
    const refused = await run(folder, program, ['auth', 'status', '--hostname', hostname], {
      ...env,
      GITLAB_TOKEN: 'glpat-of-nobody-00000000',
    });
    assert.ok(!refused.ok && /401/.test(refused.text), refused.text);
  },
  'a project is made, shown, listed, cloned, pushed to, copied and removed': async () => {
    const { name, base, dir } = await project();
    assert.match(await glab(dir, 'repo', 'view'), new RegExp(`Administrator / ${name}\n`));
    assert.match(await glab(dir, 'repo', 'list'), new RegExp(`root/${name}`));
    await branch(dir, 'topic');
    await git(dir, 'push', '--quiet', 'origin', 'topic');
    assert.match(await glab(dir, 'repo', 'contributors'), /Ada\s+ada@example\.org|Administrator/);
    await glab(folder, 'repo', 'archive', `root/${name}`, '--format', 'tar.gz', '--sha', 'topic');
    assert.match(await must(folder, 'tar', ['-tzf', `root-${name}.tar.gz`]), /topic\.txt/);
    await glab(folder, 'repo', 'fork', `root/${name}`, '--path', `${name}-fork`, '--name', `${name}-fork`, '--clone');
    assert.ok(existsSync(join(folder, `${name}-fork`, 'README.md')));
    await glab(folder, 'repo', 'delete', `root/${name}-fork`, '--yes');
    const gone = await run(folder, program, ['repo', 'view', `root/${name}-fork`], env);
    assert.ok(!gone.ok && /404/.test(gone.text), gone.text);
    assert.equal((await api<{ visibility: string }>('GET', base)).visibility, 'private');
  },
  'an issue is made with links to others': async () => {
    const { base, dir } = await project();
    const create = (...args: string[]) => glab(dir, 'issue', 'create', '--yes', '--description', 'Text', ...args);
    await create('--title', 'First');
    await create('--title', 'Second');
    const output = await create('--title', 'Third', '--linked-issues', '1,2', '--link-type', 'blocks', '--weight', '3');
    assert.match(output, /\/-\/issues\/3/);
    const links = await api<(Issue & { link_type: string })[]>('GET', `${base}/issues/3/links`);
    const seen = links.map(({ iid, link_type }) => [iid, link_type]).sort();
    assert.deepEqual(seen, [
      [1, 'blocks'],
      [2, 'blocks'],
    ]);
    const back = await api<{ iid: number; link_type: string }[]>('GET', `${base}/issues/1/links`);
    assert.deepEqual(
      back.map(({ iid, link_type }) => [iid, link_type]),
      [[3, 'is_blocked_by']],
    );
    assert.equal((await api<Issue>('GET', `${base}/issues/3`)).weight, 3);
  },
  'issues are listed, shown, commented, changed, closed, opened again and removed': async () => {
    const { base, dir } = await project();
    await glab(dir, 'issue', 'create', '--yes', '-t', 'It leaks', '-d', 'Water', '-l', 'bug,roof', '-a', 'root');
    await glab(dir, 'issue', 'create', '--yes', '-t', 'Secret', '-d', 'Hush', '--confidential');
    assert.match(await glab(dir, 'issue', 'list'), /2 open issues[\s\S]*#2\s[\s\S]*#1\s/);
    const bugs = await glab(dir, 'issue', 'list', '--label', 'bug', '--assignee', 'root', '--output', 'json');
    assert.match(bugs, /It leaks/);
    assert.doesNotMatch(bugs, /Secret/);
    await glab(dir, 'issue', 'note', '1', '-m', 'It still does');
    const shown = await glab(dir, 'issue', 'view', '1', '--comments');
    assert.match(shown, /title:\s+It leaks[\s\S]*labels:\s+bug, roof[\s\S]*Water[\s\S]*It still does/);
    await glab(dir, 'issue', 'update', '1', '--title', 'It leaked', '--unlabel', 'roof', '--label', 'done');
    await glab(dir, 'issue', 'close', '1');
    const { title, labels, state } = await api<Issue>('GET', `${base}/issues/1`);
    assert.deepEqual([title, labels.sort(), state], ['It leaked', ['bug', 'done'], 'closed']);
    assert.match(await glab(dir, 'issue', 'list', '--closed'), /#1/);
    await glab(dir, 'issue', 'reopen', '1');
    await glab(dir, 'issue', 'unsubscribe', '1');
    await glab(dir, 'issue', 'subscribe', '1');
    assert.equal((await api<Issue>('GET', `${base}/issues/2`)).confidential, true);
    await glab(dir, 'issue', 'delete', '2');
    const left = await api<Issue[]>('GET', `${base}/issues`);
    assert.deepEqual(
      left.map((issue) => [issue.iid, issue.state]),
      [[1, 'opened']],
    );
  },
  'labels are made, listed and removed': async () => {
    const { dir } = await project();
    await glab(dir, 'label', 'create', '--name', 'urgent', '--color', '#ff0000', '--description', 'Now');
    assert.match(await glab(dir, 'label', 'list'), /urgent.*#ff0000/);
    await glab(dir, 'label', 'delete', 'urgent');
    assert.doesNotMatch(await glab(dir, 'label', 'list'), /urgent/);
  },
  'a branch becomes a merge request, is reviewed, approved and merged': async () => {
    const { base, dir } = await project();
    await glab(dir, 'issue', 'create', '--yes', '-t', 'Wanted', '-d', 'Please');
    await branch(dir, 'topic');
    const made = ['--fill', '--yes', '-l', 'new', '--assignee', 'root', '--remove-source-branch'];
    assert.match(await glab(dir, 'mr', 'create', ...made), /\/-\/merge_requests\/1/);
    await glab(dir, 'mr', 'update', '1', '--description', 'Closes #1');
    const ada = await member(base, 'glab-ada', 40);
    assert.match(await glab(dir, 'mr', 'list'), /!1\s.*Work on topic\s+\(main\) ← \(topic\)/);
    assert.match(await glab(dir, 'mr', 'diff', '1', '--color=never'), /\+topic/);
    assert.match(await glab(dir, 'mr', 'issues', '1'), /Wanted/);
    await must(dir, program, ['mr', 'note', '1', '-m', 'Well done'], ada);
    const own = await run(dir, program, ['mr', 'approve', '1'], env);
    assert.ok(!own.ok && /401/.test(own.text), own.text);
    await must(dir, program, ['mr', 'approve', '1'], ada);
    await must(dir, program, ['mr', 'revoke', '1'], ada);
    await must(dir, program, ['mr', 'approve', '1'], ada);
    const { approved_by } = await api<{ approved_by: { user: { username: string } }[] }>(
      'GET',
      `${base}/merge_requests/1/approvals`,
    );
    assert.deepEqual(
      approved_by.map(({ user }) => user.username),
      ['glab-ada'],
    );
    await glab(dir, 'mr', 'approvers', '1');
    assert.match(await glab(dir, 'mr', 'view', '1', '--comments'), /Work on topic[\s\S]*Well done/);
    assert.match(await glab(dir, 'mr', 'merge', '1', '--yes', '--squash', '-m', 'Merge it'), /Merged/);
    await git(dir, 'fetch', '--quiet', '--prune');
    assert.match(await git(dir, 'log', '--format=%s', 'origin/main'), /Merge it/);
    assert.doesNotMatch(await git(dir, 'branch', '--remotes'), /topic/);
    assert.match(await glab(dir, 'mr', 'list', '--merged'), /!1/);
    // The merge closes the issue after its answer.
    const closed = async () => (await api<Issue>('GET', `${base}/issues/1`)).state === 'closed';
    await until(closed, 'the merge has not closed the issue');
  },
  'merge requests are changed, closed, opened again, rebased, checked out and removed': async () => {
    const { base, dir } = await project();
    for (const name of ['one', 'two']) {
      await branch(dir, name);
      await git(dir, 'push', '--quiet', 'origin', name);
    }
    await glab(dir, 'mr', 'create', '--yes', '-s', 'one', '-b', 'main', '-t', 'One', '-d', 'Text', '--draft');
    await glab(dir, 'mr', 'create', '--yes', '-s', 'two', '-b', 'main', '-t', 'Two', '-d', 'Text');
    const one = () => api<MergeRequest>('GET', `${base}/merge_requests/1`);
    assert.equal((await one()).draft, true);
    await glab(dir, 'mr', 'update', '1', '--ready', '--title', 'One!', '--label', 'a,b');
    const { draft, title, labels } = await one();
    assert.deepEqual([draft, title, labels.sort()], [false, 'One!', ['a', 'b']]);
    await glab(dir, 'mr', 'close', '1');
    assert.equal((await one()).state, 'closed');
    await glab(dir, 'mr', 'reopen', '1');
    await glab(dir, 'mr', 'unsubscribe', '1');
    await glab(dir, 'mr', 'subscribe', '1');
    await glab(dir, 'mr', 'todo', '1');
    await glab(dir, 'mr', 'merge', 'two', '--yes');
    assert.match(await glab(dir, 'mr', 'rebase', '1'), /Rebase successful/);
    await git(dir, 'switch', '--quiet', 'main');
    await git(dir, 'branch', '--quiet', '-D', 'one');
    await glab(dir, 'mr', 'checkout', '1');
    assert.equal((await git(dir, 'branch', '--show-current')).trim(), 'one');
    assert.ok(existsSync(join(dir, 'two.txt')), 'it is not on top of the merge');
    await glab(dir, 'issue', 'create', '--yes', '-t', 'Third', '-d', 'Text');
    await glab(dir, 'mr', 'for', '1');
    assert.match((await api<MergeRequest>('GET', `${base}/merge_requests/3`)).title, /Third/);
    await glab(dir, 'mr', 'delete', '3');
    const all = await api<MergeRequest[]>('GET', `${base}/merge_requests`);
    assert.deepEqual(
      all.map(({ iid, state }) => [iid, state]),
      [
        [2, 'merged'],
        [1, 'opened'],
      ],
    );
  },
  'snippets, keys, tokens, the feed and the changelog': async () => {
    const { base, dir } = await project();
    const grace = await member(base, 'glab-grace', 40);
    const as = (...args: string[]) => must(dir, program, args, grace);
    writeFileSync(join(dir, 's.rb'), 'puts 1\n');
    assert.match(await as('snippet', 'create', '--title', 'Ruby', '--filename', 'a.rb', 's.rb'), /\/-\/snippets\/1/);
    assert.match(await as('snippet', 'create', '--personal', '--title', 'Mine', 's.rb'), /\/-\/snippets\/2/);
    assert.match(await as('api', 'projects/:fullpath/snippets/1/raw'), /puts 1/);
    const key = join(folder, 'key');
    await must(folder, 'ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    await as('ssh-key', 'add', `${key}.pub`, '--title', 'laptop');
    const [, id = ''] = /^(\d+)\s+laptop/m.exec(await as('ssh-key', 'list', '--show-id')) ?? [];
    assert.match(await as('ssh-key', 'get', id), /^ssh-ed25519 /);
    await as('ssh-key', 'delete', id);
    assert.match(await as('token', 'create', '--access-level', 'developer', '--scope', 'read_api', 'bot'), /^glpat-/);
    await as('token', 'rotate', 'bot');
    assert.match(await as('token', 'list'), /bot\s+developer\s+true/);
    await as('token', 'revoke', 'bot');
    assert.match(await as('token', 'list', '--user', '@me'), /glab/);
    await as('issue', 'create', '--yes', '--title', 'Seen', '--description', 'Text');
    assert.match(await as('user', 'events'), /Opened Issue Seen at Administrator/);
    await git(dir, 'tag', 'v1.0.0');
    await git(dir, 'commit', '--quiet', '--allow-empty', '-m', 'Greet\n\nChangelog: added');
    await git(dir, 'push', '--quiet', 'origin', 'HEAD', 'v1.0.0');
    assert.match(await as('changelog', 'generate', '--version', '1.1.0'), /## 1\.1\.0[\s\S]*Greet/);
  },
  'pipelines are started, listed, shown, followed, run once more, canceled and removed': async () => {
    const { base, dir } = await project();
    const { id } = await api<{ id: number }>('GET', base);
    const runner = await TestRunner.of(id);
    writeFileSync(join(dir, '.gitlab-ci.yml'), CONFIG);
    assert.match(await glab(dir, 'ci', 'lint'), /CI\/CD YAML is valid/);
    await git(dir, 'add', '--all');
    await git(dir, 'commit', '--quiet', '-m', 'Build it');
    await git(dir, 'push', '--quiet', 'origin', 'main');
    const pipelines = () => api<{ id: number; status: string }[]>('GET', `${base}/pipelines`);
    await until(async () => (await pipelines()).length === 1, 'the push has made no pipeline');
    const [first] = await pipelines();
    await runner.finish(await runner.take(), 'success', 'compiled\n');
    const test = await runner.take();
    await runner.finish(test, 'failed', 'it \u001b[31mbroke\u001b[0m\n');

    assert.match(await glab(dir, 'ci', 'list'), new RegExp(`\\(failed\\)[\\s\\S]*#${first!.id}`));
    const status = await glab(dir, 'ci', 'status');
    assert.match(status, /failed[\s\S]*test[\s\S]*test/);
    assert.match(await glab(dir, 'ci', 'trace', String(test.id)), /it .*broke/);
    const shown = await glab(dir, 'ci', 'get', '--with-job-details', '--output', 'json');
    assert.match(shown, /"status":\s*"failed"[\s\S]*"name":\s*"test"/);

    assert.match(await glab(dir, 'ci', 'retry', String(test.id)), /Retried job/);
    const again = await runner.take();
    assert.deepEqual([again.job_info.name, again.id === test.id], ['test', false]);
    await runner.finish(again, 'success', 'fine\n');
    assert.match(await glab(dir, 'ci', 'status'), /success/);

    await glab(dir, 'ci', 'run', '--branch', 'main', '--variables', 'TARGET:live');
    const [second] = await pipelines();
    const variables = await api<{ key: string; value: string }[]>('GET', `${base}/pipelines/${second!.id}/variables`);
    assert.deepEqual([variables[0]!.key, variables[0]!.value], ['TARGET', 'live']);
    const jobs = await api<{ id: number; name: string }[]>('GET', `${base}/pipelines/${second!.id}/jobs`);
    const build = jobs.find(({ name }) => name === 'build')!;
    await glab(dir, 'ci', 'cancel', 'job', String(build.id));
    assert.equal((await api<{ status: string }>('GET', `${base}/jobs/${build.id}`)).status, 'canceled');
    await glab(dir, 'ci', 'cancel', 'pipeline', String(second!.id));
    assert.equal((await pipelines())[0]!.status, 'canceled');
    const manual = await api<{ id: number }[]>('GET', `${base}/jobs?scope[]=manual`);
    await glab(dir, 'ci', 'trigger', String(manual[0]!.id));
    assert.equal((await runner.take()).job_info.name, 'ship');
    await glab(dir, 'ci', 'delete', String(second!.id));
    assert.deepEqual(
      (await pipelines()).map(({ id }) => id),
      [first!.id],
    );
  },
  'what a job left is downloaded by branch': async () => {
    const { base, dir } = await project();
    const { id } = await api<{ id: number }>('GET', base);
    const runner = await TestRunner.of(id);
    writeFileSync(join(dir, '.gitlab-ci.yml'), 'build:\n  script: make\n  artifacts:\n    paths: [out/]\n');
    await git(dir, 'add', '--all');
    await git(dir, 'commit', '--quiet', '-m', 'Build');
    await git(dir, 'push', '--quiet', 'origin', 'main');
    const pipelines = () => api<{ id: number }[]>('GET', `${base}/pipelines`);
    await until(async () => (await pipelines()).length === 1, 'the push has made no pipeline');
    const job = await runner.take();
    await runner.leave(job, await zipOf({ 'out/': '', 'out/hello.txt': 'hello' }));
    await runner.finish(job, 'success', 'made\n');
    await glab(dir, 'job', 'artifact', 'main', 'build', '--path', folder);
    assert.equal(readFileSync(join(folder, 'out/hello.txt'), 'utf8'), 'hello');
    const none = await run(dir, program, ['job', 'artifact', 'main', 'none'], env);
    assert.ok(!none.ok && /404/.test(none.text), none.text);
  },
  'variables of projects and groups are set, listed, changed, exported and deleted': async () => {
    const { base, dir } = await project();
    await glab(dir, 'variable', 'set', 'TARGET', 'staging', '--description', 'Where to');
    await glab(dir, 'variable', 'set', 'TARGET', 'live', '--scope', 'production');
    await glab(dir, 'variable', 'set', 'SECRET', 'sesame-open-1', '--masked', '--protected');
    const variable = await api<{ masked: boolean; protected: boolean }>('GET', `${base}/variables/SECRET`);
    assert.deepEqual([variable.masked, variable.protected], [true, true]);
    assert.match(await glab(dir, 'variable', 'list'), /TARGET[\s\S]*TARGET[\s\S]*SECRET/);
    assert.equal(await glab(dir, 'variable', 'get', 'TARGET', '--scope', 'production'), 'live');
    await glab(dir, 'variable', 'update', 'TARGET', 'nowhere', '--scope', 'production');
    assert.match(await glab(dir, 'variable', 'export', '--scope', 'production', '--format', 'env'), /TARGET="?nowhere/);
    await glab(dir, 'variable', 'delete', 'TARGET', '--scope', 'production');
    assert.equal((await api<unknown[]>('GET', `${base}/variables`)).length, 2);
    const path = `glab-variables-${count}`;
    await api('POST', '/groups', { name: path, path });
    await glab(dir, 'variable', 'set', 'G', 'of the group', '--group', path);
    assert.match(await glab(dir, 'variable', 'list', '--group', path), /G\s/);
    await glab(dir, 'variable', 'delete', 'G', '--group', path);
  },
  'schedules are made, listed, run and deleted': async () => {
    const { base, dir } = await project();
    writeFileSync(join(dir, '.gitlab-ci.yml'), CONFIG);
    await git(dir, 'add', '--all');
    await git(dir, 'commit', '--quiet', '-m', 'Build it [skip ci]');
    await git(dir, 'push', '--quiet', 'origin', 'main');
    const night = ['--cron', '0 4 * * *', '--description', 'Nightly', '--ref', 'main'];
    await glab(dir, 'schedule', 'create', ...night, '--variable', 'WHERE:staging');
    assert.match(await glab(dir, 'schedule', 'list'), /Nightly[\s\S]*0 4 \* \* \*[\s\S]*root/);
    const [made] = await api<{ id: number }[]>('GET', `${base}/pipeline_schedules`);
    const at = `${base}/pipeline_schedules/${made!.id}`;
    const { variables } = await api<{ variables: { key: string }[] }>('GET', at);
    assert.equal(variables[0]!.key, 'WHERE');
    await glab(dir, 'schedule', 'run', String(made!.id));
    const pipelines = await api<{ source: string }[]>('GET', `${at}/pipelines`);
    assert.equal(pipelines[0]!.source, 'schedule');
    await glab(dir, 'schedule', 'delete', String(made!.id));
    assert.deepEqual(await api('GET', `${base}/pipeline_schedules`), []);
  },
  'any request can be sent': async () => {
    const { base, dir } = await project();
    await glab(dir, 'api', '--method', 'POST', 'projects/:id/labels', '-f', 'name=api', '-f', 'color=#00ff00');
    for (let n = 0; n < 3; n += 1) await api('POST', `${base}/issues`, { title: `Issue ${n}` });
    const pages = await glab(dir, 'api', '--paginate', 'projects/:fullpath/issues?per_page=1');
    assert.deepEqual(pages.match(/"title":"Issue \d"/g)?.length, 3);
    const query = 'query={ currentUser { username } }';
    assert.equal(await glab(dir, 'api', 'graphql', '-f', query), '{"data":{"currentUser":{"username":"root"}}}');
    const { ok, text } = await run(dir, program, ['api', 'projects/:id/nothing'], env);
    assert.ok(!ok && /404/.test(text), text);
  },
};

await runTests('glab', TESTS);
