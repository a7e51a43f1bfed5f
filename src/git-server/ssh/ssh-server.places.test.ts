import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { noSsh, SshPlace } from '../../../test/support/ssh-user.ts';
import { acquireSlot } from '../../git/process/index.ts';

describe('what is reached over SSH', { skip: noSsh }, () => {
  let app: TestApp;
  let place: SshPlace;
  let root: string;
  before(async () => {
    app = await buildTestApp();
    place = await SshPlace.of(app);
    const admin = await app.make.user({ admin: true });
    root = await place.keyOf(admin);
  });
  after(async () => {
    place.close();
    await app.close();
  });

  test('addresses in answers are those that git takes', async () => {
    const project = await app.make.project();
    const { git } = place;
    const dir = await git.tree();
    await git.ok(dir, 'push', '--quiet', git.address(project), 'main');
    const shown = expectStatus<{ ssh_url_to_repo: string }>(await app.get(`/projects/${project.id}`), 200);
    assert.equal(shown.ssh_url_to_repo, place.address(project));
    const author = await app.make.user();
    const own = await place.keyOf(author);
    const json = { title: 's', files: [{ file_path: 'a', content: 'a' }] };
    const snippet = expectStatus<{ ssh_url_to_repo: string }>(
      await app.post('/snippets', { token: author.token, json }),
      201,
    );
    for (const [index, url] of [shown.ssh_url_to_repo, snippet.ssh_url_to_repo].entries()) {
      const key = index === 0 ? root : own;
      await git.ok(git.folder, ...place.with(key), 'clone', '--quiet', url, join(git.folder, `at-${index}`));
    }
  });

  test('wikis are cloned and pushed, and projects by their aliases and old paths', async () => {
    const project = await app.make.project();
    const { git } = place;
    const words = place.with(root);
    const wiki = join(git.folder, 'wiki');
    const address = place.address({ full_path: `${project.full_path}.wiki` });
    await git.ok(git.folder, ...words, 'clone', '--quiet', address, wiki);
    await git.commit(wiki, 'home.md', '# Home\n');
    await git.ok(wiki, ...words, 'push', '--quiet', 'origin', 'HEAD:main');
    const pages = expectStatus<{ slug: string }[]>(await app.get(`/projects/${project.id}/wikis`), 200);
    assert.deepEqual(
      pages.map(({ slug }) => slug),
      ['home'],
    );
    const dir = await git.tree();
    await git.ok(dir, ...words, 'push', '--quiet', place.address(project), 'main');
    expectStatus(await app.post('/project_aliases', { json: { project_id: project.id, name: 'short' } }), 201);
    await git.ok(dir, ...words, 'ls-remote', place.address({ full_path: 'short' }));
    const old = place.address(project);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { path: 'moved-away' } }), 200);
    await git.ok(dir, ...words, 'ls-remote', old);
    await git.commit(dir, 'more', 'x\n');
    const output = await git.ok(dir, ...words, 'push', old, 'main');
    assert.match(output, /remote: Project '.+' was moved to '.+\/moved-away'\./);
    assert.match(
      output,
      new RegExp(`git remote set-url origin ssh://git@127\\.0\\.0\\.1:${place.server.port}/.+/moved-away\\.git`),
    );
  });

  test('a push makes the project that is not there, and says how to come back', async () => {
    const owner = await app.make.user();
    const key = await place.keyOf(owner);
    const { git } = place;
    const dir = await git.tree();
    const to = place.address({ full_path: `${owner.user.username}/made-by-ssh` });
    const output = await git.ok(dir, ...place.with(key), 'push', to, 'main');
    assert.match(output, /remote: The private project .+\/made-by-ssh was successfully created\./);
    assert.ok(output.includes(`git remote add origin ${to}`), output);
  });

  test('push rules of a group are kept, in the same words as over HTTP', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const json = { commit_message_regex: '^Fix' };
    expectStatus(await app.post(`/projects/${project.id}/push_rule`, { json }), 201);
    const { git } = place;
    const dir = await git.tree();
    const words = (text: string) => text.split('\n').filter((line) => line.startsWith('remote: Stithy:'));
    const overSsh = await git.fails(dir, ...place.with(root), 'push', place.address(project), 'main');
    const overHttp = await git.fails(dir, 'push', git.address(project), 'main');
    assert.equal(words(overSsh).length, 1, overSsh);
    assert.deepEqual(words(overSsh), words(overHttp));
    await git.ok(dir, 'commit', '--quiet', '--amend', '--message', 'Fix it');
    await git.ok(dir, ...place.with(root), 'push', '--quiet', place.address(project), 'main');
  });

  test('what is no command of git is refused, each in its words', async () => {
    const frame = (text: string) =>
      new RegExp(`^remote:\\nremote: ={72}\\nremote:\\nremote: ERROR: ${text}\\nremote:\\nremote: ={72}\\nremote:\\n$`);
    for (const [command, text] of [
      ['ls -la', 'Disallowed command'],
      ['git-upload-pack', 'Disallowed command'],
      ['2fa_recovery_codes', 'Two-factor authentication is not enabled for this user'],
      ["git-upload-pack 'a/b.git' --exec=x", 'Disallowed command'],
      ['git-lfs-transfer a/b download', 'Disallowed command'],
      ["git-upload-pack 'a/b", "Invalid SSH command: git-upload-pack 'a/b"],
      [
        "git-upload-archive 'a/b.git'",
        "The project you were looking for could not be found or you don't have permission to view it\\.",
      ],
      [
        "git-upload-pack '../../etc/passwd'",
        "The project you were looking for could not be found or you don't have permission to view it\\.",
      ],
      [
        "git-upload-pack '-c core.x=y'",
        "The project you were looking for could not be found or you don't have permission to view it\\.",
      ],
    ] as const) {
      const { code, stdout, stderr } = await place.ssh(root, [command]);
      assert.deepEqual([code, stdout], [1, ''], command);
      assert.match(stderr, frame(text), command);
    }
    const project = await app.make.project();
    const dir = await place.git.tree();
    await place.git.ok(dir, 'push', '--quiet', place.git.address(project), 'main');
    for (const path of [`'/${project.full_path}.git'`, `"${project.full_path}"`, `${project.full_path}/`]) {
      for (const name of ['git-upload-pack', 'git upload-pack']) {
        const { stdout } = await place.ssh(root, [`${name} ${path}`]);
        assert.match(stdout, /refs\/heads\/main/, `${name} ${path}`);
      }
    }
    const archive = [...place.with(root), 'archive', `--remote=${place.address(project)}`];
    for (const words of [['main'], ['--format=tar', 'refs/heads/main'], ['--format', 'tar', 'HEAD']]) {
      assert.match(await place.git.ok(dir, ...archive, ...words), /ustar/, words.join(' '));
    }
    assert.match(await place.git.ok(dir, ...archive, '--list'), /^zip$/m);
    assert.match(await place.git.ok(dir, ...archive, '--format=zip', '--prefix=p/', 'main'), /^PK/);
    const head = (await place.git.ok(dir, 'rev-parse', 'HEAD')).trim();
    for (const [words, text] of [
      [['main~0'], /no such ref: main~0/],
      [[head], /no such ref/],
      [['stithy/x'], /no such ref: stithy\/x/],
      [['main:none'], /The folder does not exist/],
      [['--worktree-attributes', 'main'], /The option --worktree-attributes is not allowed in remote requests/],
      [['--add-virtual-file=a:b', 'main'], /The option --add-virtual-file=a:b is not allowed/],
    ] as const) {
      assert.match(await place.git.fails(dir, ...archive, ...words), text, words.join(' '));
    }
    const stranger = await place.keyOf(await app.make.user());
    const hidden = await place.git.fails(
      dir,
      ...place.with(stranger),
      'archive',
      `--remote=${place.address(project)}`,
      'main',
    );
    assert.match(hidden, /could not be found or you don't have permission/);
  });

  test('who is refused is told why in maintenance mode and beside too many requests of their own', async () => {
    const project = await app.make.project();
    const { developer } = await app.make.members(project);
    const { git } = place;
    const dir = await git.tree();
    const ask = [...place.with(await place.keyOf(developer)), 'push', place.address(project), 'main:side'];
    await git.ok(dir, 'push', '--quiet', git.address(project), 'main');
    const mode = async (json: Record<string, unknown>) =>
      void expectStatus(await app.put('/application/settings', { json }), 200);
    await mode({ maintenance_mode: true, maintenance_mode_message: 'Back at noon.' });
    const refusal = await git.fails(dir, ...ask);
    await mode({ maintenance_mode: false, maintenance_mode_message: null });
    assert.match(refusal, /ERROR: Git push is not allowed because .* maintenance mode\. Back at noon\./);
    const ended = new AbortController();
    const take = () =>
      acquireSlot('transport', `${app.deps.start.prefix}user:${developer.user.id}`, ended.signal).catch(
        () => undefined,
      );
    const places = Array.from({ length: 300 }, take);
    const busy = await git.fails(dir, ...ask);
    ended.abort();
    for (const leave of await Promise.all(places)) leave?.();
    assert.match(busy, /ERROR: You have too many requests under way\. Wait for some to end, then try again\./);
    await git.ok(dir, ...ask);
  });

  test('an archive from afar waits for memory as one over HTTP does, and counts in the same share', async () => {
    const project = await app.make.project();
    const { reporter } = await app.make.members(project);
    const key = await place.keyOf(reporter);
    const { git } = place;
    const dir = await git.tree();
    await git.ok(dir, 'push', '--quiet', git.address(project), 'main');
    const ask = [...place.with(key), 'archive', `--remote=${place.address(project)}`, 'main'];
    const { streams, memory, expensive, config } = app.deps;
    const held = () => [streams.held, memory.held];
    const before = held();
    for (const budget of [streams, memory]) {
      const leave = await budget.take('user:0', { cost: budget.total });
      let done = false;
      const archive = git.ok(dir, ...ask).then((output) => {
        done = true;
        return output;
      });
      while (budget.waiting === 0 && !done) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.equal(done, false, 'it does not wait for memory');
      leave();
      assert.match(await archive, /ustar/);
    }
    const share = `user:${reporter.user.id}`;
    const leaves = Array.from({ length: config.limits.expensivePerCaller }, () => expensive.enter(share));
    const text = `You have ${leaves.length} expensive requests under way. Wait for one to end, then try again.`;
    assert.ok((await git.fails(dir, ...ask)).includes(`ERROR: ${text}`));
    const http = `/projects/${project.id}/repository/archive`;
    assert.equal(expectStatus(await app.get(http, { token: reporter.token }), 429).message, text);
    for (const leave of leaves) leave();
    await git.ok(dir, ...ask);
    // A right that is gone while the archive waits is gone.
    const leave = await memory.take('user:0', { cost: memory.total });
    const late = git.fails(dir, ...ask);
    while (streams.held === before[0]) await new Promise((resolve) => setTimeout(resolve, 10));
    expectStatus(await app.delete(`/projects/${project.id}/members/${reporter.user.id}`), 204);
    leave();
    assert.match(await late, /could not be found or you don't have permission/);
    for (let round = 0; held().join() !== before.join(); round += 1) {
      assert.ok(round < 1_000, `${held()} bytes are held`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (let at = 0; at < config.limits.expensivePerCaller; at += 1) expensive.enter(share);
  });

  test('settings say which protocols there are, and which keys', async () => {
    const project = await app.make.project();
    const { git } = place;
    const set = async (json: Record<string, unknown>) =>
      void expectStatus(await app.put('/application/settings', { json }), 200);
    await set({ enabled_git_access_protocol: 'http' });
    assert.match(
      await git.fails(git.folder, ...place.with(root), 'ls-remote', place.address(project)),
      /ERROR: Git access over SSH is not allowed/,
    );
    await set({ enabled_git_access_protocol: 'ssh' });
    await git.ok(git.folder, ...place.with(root), 'ls-remote', place.address(project));
    assert.match(await git.fails(git.folder, 'ls-remote', git.address(project)), /403/);
    await set({ enabled_git_access_protocol: 'all', ed25519_key_restriction: -1 });
    assert.match((await place.ssh(root, [])).stderr, /Permission denied/);
    await set({ ed25519_key_restriction: 0 });
    assert.equal((await place.ssh(root, [])).code, 0);
  });

  test('a blocked user, a key that is removed and a user who is gone are let in no more', async () => {
    const user = await app.make.user();
    const key = await place.keyOf(user);
    expectStatus(await app.post(`/users/${user.user.id}/block`), 201);
    assert.match((await place.ssh(key, [])).stderr, /ERROR: Your account has been blocked\./);
    expectStatus(await app.post(`/users/${user.user.id}/unblock`), 201);
    const keys = async () =>
      expectStatus<{ id: number; last_used_at: string | null }[]>(
        await app.get('/user/keys', { token: user.token }),
        200,
      );
    let [row] = await keys();
    // Its use is recorded beside the answer; the runner ends a test that never sees it.
    while (row!.last_used_at === null) [row] = await keys();
    expectStatus(await app.delete(`/user/keys/${row!.id}`, { token: user.token }), 204);
    assert.match((await place.ssh(key, [])).stderr, /Permission denied/);
  });
});
