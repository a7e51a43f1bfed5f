import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { noSsh, publicKey, SshPlace } from '../../../test/support/ssh-user.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { LfsAuthentication } from '../lfs/lfs-tokens.ts';

const TYPE = 'application/vnd.git-lfs+json';
const content = Buffer.from('a large file');
const oid = createHash('sha256').update(content).digest('hex');

describe('LFS for clients over SSH', { skip: noSsh }, () => {
  const clock = new TestClock();
  let app: TestApp;
  let place: SshPlace;
  before(async () => {
    app = await buildTestApp({ clock });
    place = await SshPlace.of(app);
  });
  after(async () => {
    place.close();
    await app.close();
  });

  async function authenticate(key: string, { full_path }: Project, operation: string): Promise<LfsAuthentication> {
    const { code, stdout, stderr } = await place.ssh(key, ['git-lfs-authenticate', `${full_path}.git`, operation]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as LfsAuthentication;
  }

  const batch = ({ href, header }: LfsAuthentication, operation: string, to = href) =>
    fetch(`${to}/objects/batch`, {
      method: 'POST',
      headers: { ...header, 'content-type': TYPE },
      body: JSON.stringify({ operation, objects: [{ oid, size: content.length }] }),
    });

  test('what the server gives transfers files of that project over HTTP, for two hours', async () => {
    const project = await app.make.project();
    const other = await app.make.project();
    const { developer } = await app.make.members(project);
    await app.make.member({ project: other }, developer.user, 30);
    const lfsAccess = await authenticate(await place.keyOf(developer), project, 'upload');
    assert.equal(lfsAccess.expires_in, 7_200);
    assert.equal(new URL(lfsAccess.href).pathname, `/${project.full_path}.git/info/lfs`);
    const user = Buffer.from(lfsAccess.header.Authorization.slice('Basic '.length), 'base64').toString().split(':')[0];
    assert.equal(user, developer.user.username);
    const answer = await batch(lfsAccess, 'upload');
    assert.equal(answer.status, 200);
    const { objects } = (await answer.json()) as {
      objects: { actions: { upload: { href: string; header: Record<string, string> } } }[];
    };
    const { href, header } = objects[0]!.actions.upload;
    assert.equal((await fetch(href, { method: 'PUT', headers: header, body: content })).status, 200);
    const elsewhere = lfsAccess.href.replace(project.full_path, other.full_path);
    assert.equal((await batch(lfsAccess, 'download', elsewhere)).status, 401, 'it is for one project');
    const api = await fetch(`${new URL(lfsAccess.href).origin}/api/v4/user`, { headers: lfsAccess.header });
    assert.equal(api.status, 401, 'and for LFS alone');
    const git = `${new URL(lfsAccess.href).origin}/${project.full_path}.git/info/refs?service=git-upload-pack`;
    assert.equal((await fetch(git, { headers: lfsAccess.header })).status, 401);
    clock.advance(7_201_000);
    assert.equal((await batch(lfsAccess, 'download')).status, 401);
  });

  test('it ends with the key that it was given for', async () => {
    const project = await app.make.project();
    const { developer } = await app.make.members(project);
    const lfsAccess = await authenticate(await place.keyOf(developer), project, 'download');
    assert.equal((await batch(lfsAccess, 'download')).status, 200);
    const [key] = expectStatus<{ id: number }[]>(await app.get('/user/keys', { token: developer.token }), 200);
    expectStatus(await app.delete(`/user/keys/${key!.id}`, { token: developer.token }), 204);
    assert.equal((await batch(lfsAccess, 'download')).status, 401);
  });

  test('who may only read uploads nothing; a deploy key does what it may', async () => {
    const project = await app.make.project();
    const { reporter, stranger } = await app.make.members(project);
    const key = await place.keyOf(reporter);
    const command = ['git-lfs-authenticate', project.full_path, 'upload'];
    assert.match((await place.ssh(key, command)).stderr, /ERROR: You are not allowed to push code to this project\./);
    assert.match((await place.ssh(await place.keyOf(stranger), command)).stderr, /could not be found/);
    const lfsAccess = await authenticate(key, project, 'download');
    assert.equal((await batch(lfsAccess, 'upload')).status, 403);
    for (const can_push of [true, false]) {
      const robot = place.newKey();
      const json = { title: 'robot', key: publicKey(robot), can_push };
      const { id } = expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/deploy_keys`, { json }), 201);
      const pass = await authenticate(robot, project, 'download');
      const [user] = Buffer.from(pass.header.Authorization.slice(6), 'base64').toString().split(':');
      assert.equal(user, `lfs+deploy-key-${id}`);
      assert.equal((await batch(pass, 'download')).status, 200);
      const answer = await batch(pass, 'upload');
      assert.equal(answer.status, can_push ? 200 : 403);
      if (!can_push) continue;
      const put = `${pass.href.replace('info/lfs', 'gitlab-lfs/objects')}/${oid}/${content.length}`;
      assert.equal(
        (
          await fetch(put, {
            method: 'PUT',
            headers: { ...pass.header, 'content-type': 'application/octet-stream' },
            body: content,
          })
        ).status,
        200,
      );
    }
  });
});
