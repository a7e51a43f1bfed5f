import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import type { Project } from '../../db/tables/projects.table.ts';

let app: TestApp;
let user: GitUser;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  user = await GitUser.of(app);
});
after(() => app.close());

interface Shown {
  iid: number;
  title: string;
  description: string | null;
  state: string;
  draft: boolean;
  labels: string[];
  squash: boolean;
  source_branch: string;
  target_branch: string;
  target_project_id: number;
  force_remove_source_branch: boolean;
  merge_when_pipeline_succeeds: boolean;
  milestone: { title: string } | null;
  assignees: { username: string }[];
  author: { username: string };
}

const mergeRequests = async (project: Project): Promise<Shown[]> =>
  expectStatus<Shown[]>(await app.get(`/projects/${project.id}/merge_requests`, { query: { sort: 'asc' } }), 200);

interface Setting {
  project: Project;
  dir: string;
  developer: TestUser;
  maintainer: TestUser;
  /** Pushes `HEAD` as the Developer with options. @returns what git shows */
  push(branch: string, ...options: string[]): Promise<string>;
}

/** A project with `main`, and a work tree of its Developer with one commit more. */
async function setting(): Promise<Setting> {
  const project = await app.make.project();
  const { developer, maintainer } = await app.make.members(project);
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  await user.commit(dir, 'greeting.txt', 'Good morning\n');
  const push = (branch: string, ...options: string[]) =>
    user.ok(
      dir,
      'push',
      ...options.flatMap((option) => ['-o', option]),
      user.address(project, developer.token),
      `HEAD:refs/heads/${branch}`,
    );
  return { project, dir, developer, maintainer, push };
}

const remote = (shown: string): string[] =>
  shown.split('\n').flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []));

test('quick actions act in a description that is given, and in none that is taken from commits', async () => {
  const { project, dir, push } = await setting();
  await push('given', 'merge_request.create', 'merge_request.description=Why\\n/draft\\n/label x');
  await user.ok(dir, 'commit', '--quiet', '--allow-empty', '-m', 'Taken\n\n/draft');
  await push('taken', 'merge_request.create');
  await push('given', 'merge_request.description=Changed\\n/ready\\n/lock');
  const [described, taken] = await mergeRequests(project);
  assert.deepEqual([described!.description, described!.draft], ['Changed', false]);
  assert.deepEqual([taken!.draft, taken!.title], [false, 'Taken']);
});

describe('what git shows after the push of a branch', () => {
  test('the address at which to create a merge request, later the one of the open one', async () => {
    const { project, dir, developer, push } = await setting();
    const shown = remote(await push('feature/a-b#'));
    assert.deepEqual(shown.filter(Boolean), [
      'To create a merge request for feature/a-b#, visit:',
      `${url}/${project.full_path}/-/merge_requests/new?merge_request%5Bsource_branch%5D=feature%2Fa-b%23`,
    ]);
    await user.commit(dir, 'more', '1');
    await push('feature/a-b#', 'merge_request.create');
    await user.commit(dir, 'more', '2');
    assert.deepEqual(remote(await push('feature/a-b#')).filter(Boolean), [
      'View merge request for feature/a-b#:',
      `${url}/${project.full_path}/-/merge_requests/1`,
    ]);
    const address = user.address(project, developer.token);
    assert.deepEqual(remote(await user.ok(dir, 'push', address, ':feature/a-b#')), []);
  });

  test('nothing for the default branch, for tags and notes, and where the project says so', async () => {
    const { project, dir, push } = await setting();
    assert.deepEqual(remote(await user.ok(dir, 'push', user.address(project), 'HEAD:main', 'HEAD:refs/tags/v1')), []);
    await user.ok(dir, 'notes', 'add', '-m', 'a note');
    assert.deepEqual(remote(await user.ok(dir, 'push', user.address(project), 'refs/notes/commits')), []);
    const json = { printing_merge_request_link_enabled: false };
    expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
    assert.deepEqual(remote(await push('quiet')), []);
  });

  test('no address of a merge request that the pusher may not see', async () => {
    const upstream = await app.make.project({ visibility: 'public' });
    const author = await app.make.user();
    const mate = await app.make.user();
    const dir = await user.tree();
    await user.ok(dir, 'push', '--quiet', user.address(upstream), 'main');
    const fork = await forkOf(upstream, author);
    await app.make.member({ project: fork }, mate.user, 30);
    await user.commit(dir, 'a', '1');
    await user.ok(dir, 'push', '-o', 'mr.create', user.address(fork, author.token), 'HEAD:fix');
    await app.deps.db.updateTable('projects').set({ visibility: 'private' }).where('id', '=', upstream.id).execute();
    await user.commit(dir, 'a', '2');
    const shown = await user.ok(dir, 'push', user.address(fork, mate.token), 'HEAD:fix');
    assert.ok(!shown.includes(`${upstream.full_path}/-/`), shown);
  });
});

async function forkOf(project: Project, owner: TestUser): Promise<Project> {
  const { id } = expectStatus<{ id: number }>(
    await app.post(`/projects/${project.id}/fork`, { token: owner.token, json: { path: `fork-${owner.user.id}` } }),
    201,
  );
  await app.drain();
  return app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

describe('merge_request.create', () => {
  test('makes a merge request from the only commit, assigned to who pushes', async () => {
    const { project, dir, developer, push } = await setting();
    await user.ok(dir, 'commit', '--quiet', '--amend', '-m', 'Greet everybody\n\nIn the morning.\n');
    const shown = await push('greet', 'merge_request.create');
    assert.match(shown, /View merge request for greet:/);
    assert.doesNotMatch(shown, /WARNINGS/);
    const [made] = await mergeRequests(project);
    assert.equal(made!.title, 'Greet everybody');
    assert.equal(made!.description, 'In the morning.');
    assert.equal(made!.target_branch, 'main');
    assert.deepEqual(
      made!.assignees.map(({ username }) => username),
      [developer.user.username],
    );
    assert.equal(made!.author.username, developer.user.username);
  });

  test('with everything that can be said, also several labels and people', async () => {
    const { project, dir, developer, maintainer, push } = await setting();
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main~1:refs/heads/stable');
    expectStatus(await app.post(`/projects/${project.id}/milestones`, { json: { title: '1.0 final' } }), 201);
    const shown = await push(
      'feature',
      'merge_request.create',
      'merge_request.target=stable',
      'merge_request.title=A title',
      'merge_request.description=First\\n\\nSecond',
      'merge_request.draft',
      'merge_request.label=bug',
      'merge_request.label=to do',
      `merge_request.assign=${maintainer.user.username}`,
      `merge_request.unassign=${developer.user.id}`,
      'merge_request.milestone=1.0 final',
      'merge_request.remove_source_branch',
      'merge_request.squash',
    );
    assert.doesNotMatch(shown, /WARNINGS/);
    const [made] = await mergeRequests(project);
    assert.equal(made!.title, 'Draft: A title');
    assert.equal(made!.draft, true);
    assert.equal(made!.description, 'First\n\nSecond');
    assert.equal(made!.target_branch, 'stable');
    assert.deepEqual(made!.labels, ['bug', 'to do']);
    assert.deepEqual(
      made!.assignees.map(({ username }) => username),
      [maintainer.user.username],
    );
    assert.equal(made!.milestone?.title, '1.0 final');
    assert.equal(made!.force_remove_source_branch, true);
    assert.equal(made!.squash, true);
  });

  test('a push to the open one changes it', async () => {
    const { project, dir, developer, maintainer, push } = await setting();
    await push('feature', 'mr.create', 'mr.title=Before', 'mr.label=old', 'mr.draft');
    await user.commit(dir, 'more', '1');
    const shown = await push(
      'feature',
      'merge_request.create',
      'merge_request.title=After',
      'merge_request.label=new',
      'merge_request.unlabel=old',
      `merge_request.assign=${maintainer.user.username}`,
      'merge_request.squash=true',
    );
    assert.doesNotMatch(shown, /WARNINGS/);
    const [changed, ...others] = await mergeRequests(project);
    assert.equal(others.length, 0);
    assert.equal(changed!.title, 'After');
    assert.deepEqual(changed!.labels, ['new']);
    assert.equal(changed!.squash, true);
    assert.deepEqual(
      changed!.assignees.map(({ username }) => username).sort(),
      [developer.user.username, maintainer.user.username].sort(),
    );
    await user.commit(dir, 'more', '2');
    await push('feature', 'merge_request.draft=true', `merge_request.unassign=@${maintainer.user.username}`);
    const [again] = await mergeRequests(project);
    assert.equal(again!.title, 'Draft: After');
    assert.equal(again!.assignees.length, 1);
  });

  test('from a fork to what it was made of, or to the project that is named', async () => {
    const upstream = await app.make.project({ visibility: 'public' });
    const author = await app.make.user();
    const dir = await user.tree();
    await user.ok(dir, 'push', '--quiet', user.address(upstream), 'main');
    const fork = await forkOf(upstream, author);
    await user.commit(dir, 'a', '1');
    await user.commit(dir, 'b', '1');
    const address = user.address(fork, author.token);
    const shown = await user.ok(
      dir,
      'push',
      '-o',
      'mr.create',
      '-o',
      'mr.label=bug',
      address,
      'HEAD:refs/heads/fix-it_now',
    );
    const [made] = await mergeRequests(upstream);
    assert.equal(made!.title, 'Fix it now');
    assert.match(
      shown,
      /WARNINGS:\s+remote: Error encountered with push options 'mr\.create' 'mr\.label=bug': Only members/,
    );
    assert.match(shown, new RegExp(`${upstream.full_path}/-/merge_requests/1\\s`));
    const own = [`mr.target_project=${fork.full_path}`, 'mr.create'].flatMap((option) => ['-o', option]);
    await user.ok(dir, 'push', ...own, address, 'HEAD:refs/heads/at-home');
    assert.equal((await mergeRequests(fork))[0]!.source_branch, 'at-home');
    const stranger = await app.make.project({ visibility: 'public' });
    const elsewhere = await user.ok(
      dir,
      'push',
      '-o',
      `mr.target_project=${stranger.full_path}`,
      address,
      'HEAD:refs/heads/x',
    );
    assert.match(elsewhere, /Projects \S+ and \S+ are not in the same network/);
    const hidden = await app.make.project();
    const unseen = await user.ok(
      dir,
      'push',
      '-o',
      `mr.target_project=${hidden.full_path}`,
      address,
      'HEAD:refs/heads/y',
    );
    assert.match(unseen, /Target project \S+ does not exist/);
  });

  test('auto_merge merges what nothing holds up, for those who may', async () => {
    const { project, dir, developer, maintainer, push } = await setting();
    const address = user.address(project, maintainer.token);
    await user.ok(dir, 'push', '-o', 'mr.create', '-o', 'mr.auto_merge', address, 'HEAD:refs/heads/now');
    assert.equal((await mergeRequests(project))[0]!.state, 'merged');
    await user.commit(dir, 'later', '1');
    const denied = await push('later', 'mr.create', 'mr.merge_when_pipeline_succeeds');
    assert.match(denied, /WARNINGS:.*User access was denied/s);
    const second = (await mergeRequests(project))[1]!;
    assert.equal(second.state, 'opened');
    assert.equal(second.author.username, developer.user.username);
  });
});

describe('what cannot be done is a warning, and the push stands', () => {
  test('each of them', async () => {
    const { project, dir, push } = await setting();
    const cases: [options: string[], text: string | RegExp][] = [
      [['mr.title=x'], 'A merge_request.create push option is required to create a merge request for branch b0'],
      [['mr.create', 'mr.target=no-such'], `Target branch ${project.full_path}:no-such does not exist`],
      [['mr.create', 'mr.tilte=x'], "Unknown push option 'mr.tilte=x'"],
      [['mr.create', 'mr.assign=nobody-at-all'], 'User nobody-at-all does not exist'],
      [['mr.create', 'mr.milestone=never'], 'Milestone never does not exist'],
      [['mr.create', `mr.title=${'x'.repeat(300)}`], 'title is too long (maximum is 255 characters)'],
    ];
    for (const [index, [options, text]] of cases.entries()) {
      const shown = await push(`b${index}`, ...options);
      const expected = `Error encountered with push options ${options.map((option) => `'${option}'`).join(' ')}: ${text}`;
      assert.ok(remote(shown).includes('WARNINGS:'), shown);
      assert.ok(remote(shown).includes(expected), `${shown}\nlacks: ${expected}`);
      assert.match(await user.ok(dir, 'ls-remote', user.address(project)), new RegExp(`refs/heads/b${index}\n`));
    }
    assert.deepEqual(
      (await mergeRequests(project)).map(({ source_branch }) => source_branch),
      ['b2', 'b3', 'b4'],
    );
  });

  test('too many branches at once, and merge requests that are switched off', async () => {
    const { project, dir, developer, push } = await setting();
    const refs = Array.from({ length: 11 }, (_, index) => `HEAD:refs/heads/many-${index}`);
    const shown = await user.ok(dir, 'push', '-o', 'mr.create', user.address(project, developer.token), ...refs);
    assert.match(shown, /Too many branches pushed \(11 were pushed, limit is 10\)/);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { merge_requests_access_level: 'disabled' } }), 200);
    const off = await push('late', 'mr.create');
    assert.ok(off.includes(`Merge requests are not enabled for project ${project.full_path}`), off);
    assert.doesNotMatch(off, /To create a merge request/);
  });
});
