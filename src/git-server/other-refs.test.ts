import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { mustGit } from '../../test/support/git-client.ts';
import { GitUser } from '../../test/support/git-user.ts';

let app: TestApp;
let user: GitUser;
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
});
after(() => app.close());

describe('refs outside branches and tags', () => {
  test('notes are pushed by a Developer, listed, fetched and removed, as semantic-release does', async () => {
    const project = await app.make.project();
    const { developer, reporter } = await app.make.members(project);
    const dir = await user.tree();
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
    await app.drain();
    const feed = () => app.deps.db.selectFrom('events').select('id').where('project_id', '=', project.id).execute();
    const eventsBefore = await feed();
    await user.ok(dir, 'notes', '--ref', 'semantic-release-v1.0.0', 'add', '-m', '{"channels":[null]}', 'HEAD');
    const ref = 'refs/notes/semantic-release-v1.0.0';
    assert.match(await user.fails(dir, 'push', user.address(project, reporter.token), ref), /403/);
    await user.ok(dir, 'push', '--quiet', user.address(project, developer.token), ref);

    const copy = `${dir}-copy`;
    await user.ok(user.folder, 'clone', '--quiet', user.address(project, reporter.token), copy);
    assert.match(await user.ok(copy, 'ls-remote', 'origin'), new RegExp(`\\t${ref}\n`));
    await user.ok(copy, 'fetch', '--quiet', 'origin', '+refs/notes/*:refs/notes/*');
    assert.match(
      await user.ok(copy, 'notes', '--ref', 'semantic-release-v1.0.0', 'show', 'HEAD'),
      /"channels":\[null\]/,
    );

    // Written again, with another history, and at last removed.
    await user.ok(dir, 'update-ref', '-d', ref);
    await user.ok(dir, 'notes', '--ref', 'semantic-release-v1.0.0', 'add', '-m', 'anew', 'HEAD');
    await user.ok(dir, 'push', '--quiet', '--force', user.address(project, developer.token), ref);
    await user.ok(dir, 'push', '--quiet', user.address(project, developer.token), `:${ref}`);
    assert.doesNotMatch(await user.ok(copy, 'ls-remote', 'origin'), /notes/);

    await app.drain();
    assert.deepEqual(await feed(), eventsBefore);
  });

  test('any other name that is not ours can be pushed, be it no commit', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    const blob = await mustGit(dir, ['hash-object', '-w', 'README.md']);
    const names = ['refs/changes/01/1', 'refs/notes/commits', 'refs/meta/config', 'refs/one'];
    await user.ok(dir, 'push', '--quiet', user.address(project), ...names.map((name) => `main:${name}`));
    await user.ok(dir, 'push', '--quiet', user.address(project), `${blob}:refs/blobs/readme`);
    const listed = await user.ok(dir, 'ls-remote', user.address(project));
    for (const name of [...names, 'refs/blobs/readme']) assert.match(listed, new RegExp(`\\t${name}\n`));
  });

  test('our own refs, and names that would replace a folder of refs, are refused', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    const own = [
      'refs/merge-requests/1/head',
      'refs/keep-around/x',
      'refs/environments/1',
      'refs/pipelines/1',
      'refs/stithy/x',
      'refs/pipelines',
    ];
    for (const ref of [...own, 'refs/heads', 'refs/tags']) {
      const shown = await user.fails(dir, 'push', user.address(project), `HEAD:${ref}`);
      assert.match(shown, /rejected|hidden ref|reserved for the server|not a full refname|failed to push/, ref);
    }
    assert.doesNotMatch(await user.ok(dir, 'ls-remote', user.address(project)), /refs\//);
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  });
});

test('of many refs that are pushed together few that are refused hold up no others, nor make a write of each', async () => {
  const project = await app.make.project();
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main', 'main:refs/heads/n150/x');
  await app.drain();
  const events = async () => {
    const rows = await app.deps.db.selectFrom('domain_events').select('id').where('type', '=', 'push').execute();
    return rows.length;
  };
  const before = await events();
  const names = Array.from({ length: 300 }, (_, at) => `main:refs/heads/n${at}`);
  const output = await user.fails(dir, 'push', user.address(project), ...names);
  assert.match(output, /n150 \('refs\/heads\/n150\/x' exists; cannot create 'refs\/heads\/n150'\)/);
  const listed = await user.ok(dir, 'ls-remote', user.address(project));
  for (let at = 0; at < 300; at += 1) assert.equal(listed.includes(`refs/heads/n${at}\n`), at !== 150, String(at));
  const made = (await events()) - before;
  assert.ok(made < 20, `${made} events`);
});
