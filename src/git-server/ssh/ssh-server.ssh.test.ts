import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { noSsh, publicKey, SshPlace } from '../../../test/support/ssh-user.ts';

describe('git over SSH', { skip: noSsh }, () => {
  let app: TestApp;
  let place: SshPlace;
  before(async () => {
    app = await buildTestApp();
    place = await SshPlace.of(app);
  });
  after(async () => {
    place.close();
    await app.close();
  });

  test('a user clones, fetches and pushes with their key, with each version of the protocol', async () => {
    const project = await app.make.project();
    const { maintainer } = await app.make.members(project);
    const key = await place.keyOf(maintainer);
    const { git } = place;
    const dir = await git.tree();
    await git.ok(dir, ...place.with(key), 'push', '--quiet', place.address(project), 'main');
    for (const version of [0, 1, 2]) {
      const copy = join(git.folder, `copy-${version}`);
      const words = [...place.with(key), '-c', `protocol.version=${version}`];
      await git.ok(git.folder, ...words, 'clone', '--quiet', place.address(project), copy);
      assert.equal(readFileSync(join(copy, 'README.md'), 'utf8'), '# Hello\n');
    }
    const head = await git.commit(dir, 'more', 'x\n');
    await git.ok(dir, ...place.with(key), 'push', '--quiet', place.address(project), 'main');
    const copy = join(git.folder, 'copy-2');
    await git.ok(copy, ...place.with(key), 'fetch', '--quiet');
    assert.equal((await git.ok(copy, 'rev-parse', 'origin/main')).trim(), head);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .select('actor_id')
      .where('project_id', '=', project.id)
      .where('type', '=', 'push')
      .execute();
    assert.deepEqual(
      events.map(({ actor_id }) => actor_id),
      [maintainer.user.id, maintainer.user.id],
    );
  });

  test('large pushes and clones go through, of clients that change keys on the way, too', async () => {
    const project = await app.make.project();
    const { maintainer } = await app.make.members(project);
    const key = await place.keyOf(maintainer);
    const { git } = place;
    const dir = await git.tree();
    for (const options of [[], ['-o', 'RekeyLimit=512K'], ['-o', 'Ciphers=aes128-gcm@openssh.com']]) {
      writeFileSync(join(dir, 'large'), randomBytes(4 * 1024 * 1024));
      await git.ok(dir, 'add', 'large');
      await git.ok(dir, 'commit', '--quiet', '--message', 'large');
      const words = place.with(key, ...options);
      await git.ok(dir, ...words, 'push', '--quiet', place.address(project), 'main');
      const copy = join(git.folder, `large-${options.length}-${options[1] ?? ''}`);
      await git.ok(git.folder, ...words, 'clone', '--quiet', place.address(project), copy);
      assert.equal(await git.ok(copy, 'rev-parse', 'HEAD'), await git.ok(dir, 'rev-parse', 'HEAD'));
    }
  });

  test('keeps few objects of many bytes as a pack, whatever comes of them, and few small ones as files', async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const { git } = place;
    const words = place.with(await place.keyOf(maintainer));
    const repository = app.deps.storages.dirOf({
      storage: project.repository_storage,
      diskPath: project.disk_path,
    });
    const count = async () => {
      const text = await git.ok(repository, 'count-objects', '-v');
      const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)![1]);
      return { loose: of('count'), packs: of('packs') };
    };
    const left = () => readdirSync(join(repository, 'objects')).filter((name) => name.startsWith('tmp_'));
    const dir = await git.tree();
    await git.ok(dir, ...words, 'push', '--quiet', place.address(project), 'main');
    assert.deepEqual(await count(), { loose: 3, packs: 0 });
    await git.commit(dir, 'large', randomBytes(4 * 1024 * 1024).toString('base64'));
    const refused = place.with(await place.keyOf(developer));
    assert.match(await git.fails(dir, ...refused, 'push', place.address(project), 'main'), /protected branch/);
    assert.deepEqual([await count(), left()], [{ loose: 3, packs: 0 }, []]);
    await git.ok(dir, ...words, 'push', '--atomic', place.address(project), 'main', 'main:refs/heads/other');
    assert.deepEqual([await count(), left()], [{ loose: 3, packs: 1 }, []]);
    const [first, second] = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const tree = await git.tree();
        await git.commit(tree, name, randomBytes(3 * 1024 * 1024).toString('base64'));
        await git.ok(tree, ...words, 'push', '--quiet', place.address(project), `main:${name}`);
        return (await git.ok(tree, 'rev-parse', 'HEAD')).trim();
      }),
    );
    assert.deepEqual(await count(), { loose: 3, packs: 3 });
    const refs = await git.ok(
      dir,
      ...words,
      'ls-remote',
      place.address(project),
      'refs/heads/first',
      'refs/heads/second',
    );
    assert.equal(refs, `${first}\trefs/heads/first\n${second}\trefs/heads/second\n`);
    await git.commit(dir, 'small', 'again\n');
    await git.ok(dir, ...words, 'push', '--quiet', place.address(project), 'main');
    assert.deepEqual([await count(), left()], [{ loose: 6, packs: 3 }, []]);
    await git.ok(repository, 'fsck', '--full', '--strict');
  });

  test('who asks for no more than a shell is welcomed by name', async () => {
    const user = await app.make.user();
    const key = await place.keyOf(user);
    const welcome = { code: 0, stdout: `Welcome to Stithy, @${user.user.username}!\n`, stderr: '' };
    assert.deepEqual(await place.ssh(key, [], ['-T']), welcome);
    for (const kind of ['rsa', 'ecdsa'] as const) {
      const other = await place.keyOf(user, '-t', kind);
      assert.deepEqual(await place.ssh(other, [], ['-T']), welcome, kind);
    }
  });

  test('nobody comes in by a key that is unknown, past its time, for signatures alone, or under another name', async () => {
    const user = await app.make.user();
    const denied = async (key: string, login?: string) => {
      const { code, stderr } = await place.ssh(key, [], ['-T'], login);
      assert.equal(code, 255);
      assert.match(stderr, /Permission denied \(publickey\)/);
    };
    await denied(place.newKey());
    const signing = place.newKey();
    const json = { title: 's', key: publicKey(signing), usage_type: 'signing' };
    expectStatus(await app.post('/user/keys', { token: user.token, json }), 201);
    await denied(signing);
    const key = await place.keyOf(user);
    await denied(key, 'root');
    await app.deps.db
      .updateTable('ssh_keys')
      .set({ expires_at: '2000-01-01T00:00:00.000Z' })
      .where('user_id', '=', user.user.id)
      .where('usage_type', '=', 'auth_and_signing')
      .execute();
    await denied(key);
  });

  test('who may not is told why by git, and what is hidden is as if it were not there', async () => {
    const project = await app.make.project();
    const { stranger, guest, reporter, developer } = await app.make.members(project);
    const { git } = place;
    const dir = await git.tree();
    await git.ok(dir, 'push', '--quiet', git.address(project), 'main');
    const hidden = await git.fails(
      dir,
      ...place.with(await place.keyOf(stranger)),
      'ls-remote',
      place.address(project),
    );
    const text =
      "remote: ERROR: The project you were looking for could not be found or you don't have permission to view it.";
    assert.ok(hidden.includes(text), hidden);
    assert.match(hidden, /Could not read from remote repository/);
    const nothing = place.address({ full_path: 'no/such-project' });
    assert.equal(await git.fails(dir, ...place.with(await place.keyOf(stranger)), 'ls-remote', nothing), hidden);
    assert.match(
      await git.fails(dir, ...place.with(await place.keyOf(guest)), 'ls-remote', place.address(project)),
      /remote: ERROR: You are not allowed to download code from this project\./,
    );
    await app.deps.db
      .updateTable('projects')
      .set({ visibility: 'public', repository_access_level: 'private' })
      .where('id', '=', project.id)
      .execute();
    assert.match(
      await git.fails(dir, ...place.with(await place.keyOf(stranger)), 'ls-remote', place.address(project)),
      /remote: ERROR: You are not allowed to download code from this project\./,
    );
    const reads = await place.keyOf(reporter);
    await git.ok(dir, ...place.with(reads), 'ls-remote', place.address(project));
    assert.match(
      await git.fails(dir, ...place.with(reads), 'push', place.address(project), 'main:x'),
      /remote: ERROR: You are not allowed to push code to this project\./,
    );
    await git.commit(dir, 'more', 'x\n');
    assert.match(
      await git.fails(dir, ...place.with(await place.keyOf(developer)), 'push', place.address(project), 'main'),
      /remote: Stithy: You are not allowed to push code to protected branches on this project\./,
    );
  });
});
