import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { noSsh, publicKey, SshPlace } from '../../../test/support/ssh-user.ts';

describe('deploy keys over SSH', { skip: noSsh }, () => {
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

  async function deployKey(project: { id: number }, can_push: boolean): Promise<{ key: string; id: number }> {
    const key = place.newKey();
    const json = { title: 'robot', key: publicKey(key), can_push };
    const { id } = expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/deploy_keys`, { json }), 201);
    return { key, id };
  }

  test('one reads its projects, and nothing else; one that may write pushes for whoever made it', async () => {
    const project = await app.make.project();
    const other = await app.make.project();
    const open = await app.make.project({ visibility: 'public' });
    const { git } = place;
    const dir = await git.tree();
    for (const each of [project, other, open]) await git.ok(dir, 'push', '--quiet', git.address(each), 'main');
    const reads = await deployKey(project, false);
    const writes = await deployKey(project, true);
    await git.ok(dir, ...place.with(reads.key), 'ls-remote', place.address(project));
    await git.ok(dir, ...place.with(reads.key), 'ls-remote', place.address(open));
    const hidden = await git.fails(dir, ...place.with(reads.key), 'ls-remote', place.address(other));
    assert.match(hidden, /could not be found or you don't have permission/);
    await git.commit(dir, 'more', 'x\n');
    const refused = await git.fails(dir, ...place.with(reads.key), 'push', place.address(project), 'main:x');
    assert.match(refused, /remote: ERROR: This deploy key does not have write access to this project\./);
    const elsewhere = await git.fails(dir, ...place.with(writes.key), 'push', place.address(open), 'main:x');
    assert.match(elsewhere, /This deploy key does not have write access/);
    await git.ok(dir, ...place.with(writes.key), 'push', place.address(project), 'main:x');
    const event = await app.deps.db
      .selectFrom('domain_events')
      .select('actor_id')
      .where('project_id', '=', project.id)
      .where('type', '=', 'push')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    assert.equal(event.actor_id, 1);
    const shown = expectStatus<{ last_used_at: string | null }>(
      await app.get(`/projects/${project.id}/deploy_keys/${writes.id}`),
      200,
    );
    const row = await app.deps.db
      .selectFrom('deploy_keys')
      .select('last_used_at')
      .where('id', '=', writes.id)
      .executeTakeFirstOrThrow();
    assert.notEqual(row.last_used_at, null, JSON.stringify(shown));
  });

  test('a protected branch takes a push of the key that it names, and of no other', async () => {
    const project = await app.make.project();
    const { git } = place;
    const dir = await git.tree();
    await git.ok(dir, 'push', '--quiet', git.address(project), 'main');
    const [named, other] = [await deployKey(project, true), await deployKey(project, true)];
    await git.commit(dir, 'more', 'x\n');
    const refused = await git.fails(dir, ...place.with(other.key), 'push', place.address(project), 'main');
    assert.match(refused, /You are not allowed to push code to protected branches/);
    expectStatus(await app.delete(`/projects/${project.id}/protected_branches/main`), 204);
    const json = { name: 'main', allowed_to_push: [{ deploy_key_id: named.id }] };
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json }), 201);
    assert.match(
      await git.fails(dir, ...place.with(other.key), 'push', place.address(project), 'main'),
      /You are not allowed to push code to protected branches/,
    );
    await git.ok(dir, ...place.with(named.key), 'push', place.address(project), 'main');
  });

  test('one that is taken away, or past its time, opens nothing any more', async () => {
    const project = await app.make.project();
    const { key, id } = await deployKey(project, true);
    assert.equal((await place.ssh(key, [])).stdout, 'Welcome to Stithy, @root!\n');
    await app.deps.db
      .updateTable('deploy_keys')
      .set({ expires_at: '2000-01-01T00:00:00.000Z' })
      .where('id', '=', id)
      .execute();
    assert.match((await place.ssh(key, [])).stderr, /Permission denied/);
    const second = await deployKey(project, true);
    expectStatus(await app.delete(`/projects/${project.id}/deploy_keys/${second.id}`), 204);
    assert.match((await place.ssh(second.key, [])).stderr, /Permission denied/);
  });
});
