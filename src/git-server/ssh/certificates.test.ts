import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { outputOf } from '../../../test/support/fork-server.ts';
import { noSsh, publicKey, SshPlace } from '../../../test/support/ssh-user.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';

describe('SSH certificates of groups', { skip: noSsh }, () => {
  let app: TestApp;
  let place: SshPlace;
  let group: Namespace;
  let project: Project;
  let authority: string;
  let authorityId: number;
  let ann: TestUser;
  before(async () => {
    app = await buildTestApp();
    place = await SshPlace.of(app);
    group = await app.make.group();
    project = await app.make.project({ namespace: group });
    authority = place.newKey();
    const json = { title: 'CA', key: publicKey(authority) };
    authorityId = expectStatus<{ id: number }>(
      await app.post(`/groups/${group.id}/ssh_certificates`, { json }),
      201,
    ).id;
    ann = await app.make.user({ username: 'ann' });
    await app.make.member({ group }, ann.user, 30);
  });
  after(async () => {
    place.close();
    await app.close();
  });

  /** Signs a new key. @param options of `ssh-keygen` beside those that say who signs */
  function sign(options: string[], by = authority, kind: string[] = []): string {
    const key = place.newKey(...kind);
    outputOf('ssh-keygen', ['-q', '-s', by, ...options, `${key}.pub`]);
    return key;
  }

  /** With a key that has a certificate beside it. */
  const shown = (key: string) => ['-o', `CertificateFile=${key}-cert.pub`];
  const reach = (key: string, to: { full_path: string } = project) =>
    place.ssh(key, ['git-upload-pack', `'${to.full_path}.git'`], shown(key));
  const opens = async (key: string, to?: { full_path: string }) => {
    const { stdout, stderr } = await reach(key, to);
    assert.match(stdout, /refs|capabilities|0000/, stderr);
  };
  const denied = async (key: string) => assert.match((await reach(key)).stderr, /Permission denied \(publickey\)/);

  test('one opens the projects of the group and below it for the member whom it names, and nothing else', async () => {
    const below = await app.make.group({ parent: group });
    const inside = await app.make.project({ namespace: below });
    const outside = await app.make.project({ visibility: 'public' });
    await app.make.member({ project: outside }, ann.user, 40);
    const key = sign(['-I', 'ann', '-n', 'git', '-V', '+1d']);
    await opens(key);
    await opens(key, inside);
    for (const other of [outside, { full_path: 'no/such' }, { full_path: `${ann.user.username}/own` }]) {
      const { stderr, code } = await reach(key, other);
      assert.equal(code, 1);
      assert.match(stderr, /could not be found or you don't have permission to view it/);
    }
    const welcome = await place.ssh(key, [], shown(key));
    assert.equal(welcome.stdout, 'Welcome to Stithy, @ann!\n');
    const made = await place.ssh(key, ['personal_access_token name api'], shown(key));
    assert.equal(made.stdout, '');
    assert.match(made.stderr, /remote: ERROR: Could not find the given key\n/);
    const { git } = place;
    const dir = await git.tree();
    const words = place.with(key, ...shown(key));
    await git.ok(dir, ...words, 'push', '--quiet', place.address(project), 'main:topic');
    const event = await app.deps.db
      .selectFrom('domain_events')
      .select('actor_id')
      .where('project_id', '=', project.id)
      .where('type', '=', 'push')
      .executeTakeFirstOrThrow();
    assert.equal(event.actor_id, ann.user.id);
    assert.match(
      await git.fails(dir, ...words, 'push', place.address({ full_path: `${ann.user.username}/new` }), 'main'),
      /could not be found/,
    );
    await git.ok(dir, ...words, 'push', '--quiet', place.address({ full_path: `${below.full_path}/made` }), 'main');
  });

  test('key ids and principals name the user as the platform reads them', async () => {
    await app.make.user({ username: 'bob' });
    const stranger = await app.make.user();
    for (const options of [
      ['-I', 'ann'],
      ['-I', 'ANN', '-n', 'git'],
      ['-I', ann.user.email],
      ['-I', 'ann', '-n', 'ann'],
      ['-I', 'issued on Monday', '-n', 'ann'],
      ['-I', 'issued on Monday', '-n', 'git,ann'],
    ]) {
      await opens(sign(options));
    }
    for (const options of [
      ['-I', 'bob'],
      ['-I', stranger.user.username],
      ['-I', 'nobody-of-that-name'],
      ['-I', 'ann', '-n', 'deploy'],
      ['-I', 'bob', '-n', 'ann'],
      ['-I', 'issued on Monday', '-n', 'ann,bob'],
      ['-I', 'issued on Monday', '-n', 'git'],
    ]) {
      await denied(sign(options));
    }
  });

  test('each kind of key may have one, and each kind of authority may sign it', async () => {
    for (const kind of [
      ['-t', 'rsa', '-b', '3072'],
      ['-t', 'ecdsa'],
      ['-t', 'ecdsa', '-b', '521'],
    ]) {
      await opens(sign(['-I', 'ann'], authority, kind));
      const other = place.newKey(...kind);
      const json = { title: 'CA', key: publicKey(other) };
      expectStatus(await app.post(`/groups/${group.id}/ssh_certificates`, { json }), 201);
      await opens(sign(['-I', 'ann'], other));
    }
  });

  test('what is past its time, not yet valid, of a host, for another address or with a command is refused', async () => {
    for (const options of [
      ['-V', '-2d:-1d'],
      ['-V', '+1d:+2d'],
      ['-h'],
      ['-O', 'source-address=192.0.2.0/24'],
      ['-O', 'force-command=/bin/true'],
      ['-O', 'verify-required'],
    ]) {
      await denied(sign(['-I', 'ann', ...options]));
    }
    await opens(sign(['-I', 'ann', '-O', 'source-address=192.0.2.0/24,127.0.0.1/32', '-O', 'clear']));
  });

  test('a stranger to all groups signs for nobody, and the key of an authority is not let in itself', async () => {
    await denied(sign(['-I', 'ann'], place.newKey()));
    assert.match((await place.ssh(authority, [])).stderr, /Permission denied/);
    outputOf('ssh-keygen', ['-q', '-s', authority, '-I', 'ann', `${authority}.pub`]);
    await denied(authority);
    const unsigned = place.newKey();
    outputOf('cp', [`${sign(['-I', 'ann'])}-cert.pub`, `${unsigned}-cert.pub`]);
    assert.match((await reach(unsigned)).stderr, /Permission denied|no matching|not match/i);
  });

  test('it ends with the membership, the user and the authority', async () => {
    const cid = await app.make.user({ username: 'cid' });
    await app.make.member({ group }, cid.user, 30);
    const key = sign(['-I', 'cid']);
    await opens(key);
    expectStatus(await app.post(`/users/${cid.user.id}/block`), 201);
    await denied(key);
    expectStatus(await app.post(`/users/${cid.user.id}/unblock`), 201);
    await opens(key);
    expectStatus(await app.delete(`/groups/${group.id}/members/${cid.user.id}`), 204);
    await denied(key);
    const other = place.newKey();
    const json = { title: 'CA', key: publicKey(other) };
    const { id } = expectStatus<{ id: number }>(await app.post(`/groups/${group.id}/ssh_certificates`, { json }), 201);
    assert.notEqual(id, authorityId);
    const signed = sign(['-I', 'ann'], other);
    await opens(signed);
    expectStatus(await app.delete(`/groups/${group.id}/ssh_certificates/${id}`), 204);
    await denied(signed);
  });

  test('a group that enforces them lets its members in with nothing else, and deploy keys as ever', async () => {
    const own = await place.keyOf(ann);
    const robot = place.newKey();
    const json = { title: 'robot', key: publicKey(robot) };
    expectStatus(await app.post(`/projects/${project.id}/deploy_keys`, { json }), 201);
    const { git } = place;
    await git.ok(git.folder, ...place.with(own), 'ls-remote', place.address(project));
    expectStatus(await app.put(`/groups/${group.id}`, { json: { enforce_ssh_certificates: true } }), 200);
    const words = /This group accepts SSH certificates only/;
    assert.match(await git.fails(git.folder, ...place.with(own), 'ls-remote', place.address(project)), words);
    assert.match(await git.fails(git.folder, 'ls-remote', git.address(project, ann.token)), /403/);
    await opens(sign(['-I', 'ann']));
    await git.ok(git.folder, ...place.with(robot), 'ls-remote', place.address(project));
    await git.ok(git.folder, 'ls-remote', git.address(project));
    expectStatus(await app.put(`/groups/${group.id}`, { json: { enforce_ssh_certificates: false } }), 200);
    await git.ok(git.folder, 'ls-remote', git.address(project, ann.token));
  });
});
