import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { GitUser } from '../../test/support/git-user.ts';

let app: TestApp;
let user: GitUser;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  user = await GitUser.of(app);
});
after(() => app.close());

const projectAt = (path: string) => app.get(`/projects/${encodeURIComponent(path)}`);
const NOT_FOUND = /remote: The project you were looking for could not be found/;

describe('a push to a project that is not there', () => {
  test("makes it, private, in one's own namespace, and says so once", async () => {
    const ada = await app.make.user();
    const path = `${ada.user.username}/fresh-1`;
    const dir = await user.tree();
    const shown = await user.ok(dir, 'push', user.address({ full_path: path }, ada.token), 'main');
    assert.match(shown, new RegExp(`remote: The private project ${path} was successfully created\\.`));
    assert.ok(shown.includes(`remote:   git remote add origin ${url}/${path}.git`), shown);
    assert.ok(shown.includes(`remote:   ${url}/${path}\n`) || shown.includes(`remote:   ${url}/${path} `), shown);
    const made = expectStatus<{ visibility: string; name: string; creator_id: number }>(await projectAt(path), 200);
    assert.deepEqual([made.visibility, made.name, made.creator_id], ['private', 'fresh-1', ada.user.id]);
    await user.commit(dir, 'more', '1');
    const again = await user.ok(dir, 'push', user.address({ full_path: path }, ada.token), 'main', 'main:other');
    assert.doesNotMatch(again, /successfully created/);
  });

  test('makes it in a group for who may create there, and in no other place', async () => {
    const group = await app.make.group();
    const [developer, guest] = [await app.make.user(), await app.make.user()];
    await app.make.member({ group }, developer.user, 30);
    await app.make.member({ group }, guest.user, 10);
    const dir = await user.tree();
    const push = (path: string, token: string) => ['push', user.address({ full_path: path }, token), 'main'] as const;
    await user.ok(dir, ...push(`${group.full_path}/made`, developer.token));
    expectStatus(await projectAt(`${group.full_path}/made`), 200);
    const denied: [path: string, token: string][] = [
      [`${group.full_path}/no`, guest.token],
      [`${group.full_path}/no`, (await app.make.user()).token],
      ['root/no', developer.token],
      ['no-such-group/no', developer.token],
      [`${group.id}/no`, developer.token],
      [`${group.full_path}/no`, await app.make.token(developer.user.id, ['read_repository'])],
    ];
    for (const [path, token] of denied) {
      assert.match(await user.fails(dir, ...push(path, token)), NOT_FOUND);
      expectStatus(await projectAt(path), 404);
    }
    const columns = { settings: JSON.stringify({ project_creation_level: 'noone' }) };
    await app.deps.db.updateTable('namespaces').set(columns).where('id', '=', group.id).execute();
    assert.match(await user.fails(dir, ...push(`${group.full_path}/late`, developer.token)), NOT_FOUND);
    const anonymous = await user.fails(dir, 'push', `${url}/${group.full_path}/no.git`, 'main');
    assert.match(anonymous, /could not read Username|Authentication failed/);
  });

  test('says why where it cannot be: a name that is none, and no project left to create', async () => {
    const ada = await app.make.user({ columns: { projects_limit: 0 } });
    const dir = await user.tree();
    const none = await user.fails(
      dir,
      'push',
      user.address({ full_path: `${ada.user.username}/x` }, ada.token),
      'main',
    );
    assert.match(none, /remote: Could not create the project: You cannot create projects in your personal namespace/);
    const odd = await user.fails(dir, 'push', user.address({ full_path: 'root/-odd' }), 'main');
    assert.match(odd, /remote: Could not create the project: .*path/);
  });

  test('a fetch makes nothing', async () => {
    await user.fails(user.folder, 'ls-remote', user.address({ full_path: 'root/only-read' }));
    expectStatus(await projectAt('root/only-read'), 404);
    const asked = await fetch(`${url}/root/only-read.git/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/x-git-receive-pack-request' },
      body: '0000',
    });
    assert.equal(asked.status, 404);
    expectStatus(await projectAt('root/only-read'), 404);
  });
});

test('a push to the old address of a project arrives, and says where it is now', async () => {
  const project = await app.make.project();
  const dir = await user.tree();
  expectStatus(await app.put(`/projects/${project.id}`, { json: { path: `${project.path}-new` } }), 200);
  const shown = await user.ok(dir, 'push', user.address(project), 'main');
  assert.ok(shown.includes(`remote: Project '${project.full_path}' was moved to '${project.full_path}-new'.`), shown);
  assert.ok(shown.includes(`remote:   git remote set-url origin ${url}/${project.full_path}-new.git`), shown);
});
