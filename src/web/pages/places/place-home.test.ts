import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { WebUser } from '../../../../test/support/web-user.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const HOSTILE = '<script>alert("1")</script>';

describe('the pages of projects, groups and users', () => {
  let app: TestApp;
  let project: Project;
  before(async () => {
    app = await buildTestApp();
    project = await app.make.project();
    await commitFiles(app, project.id, {
      'README.md': `# Welcome\n\n[guide](docs/guide.md) ${HOSTILE} [bad](javascript:alert(1))`,
      'docs/guide.md': 'text',
      'a.ts': 'const a = 1;\n',
    });
    expectStatus(
      await app.put(`/projects/${project.id}`, { json: { description: HOSTILE, topics: ['"><script>x'] } }),
      200,
    );
  });
  after(() => app.close());

  test('a project shows its files, its README and where to clone it from', async () => {
    const { reporter } = await app.make.members(project);
    const page = await (await WebUser.signIn(app, reporter)).page(`/${project.full_path}`);
    assert.match(page, /<h1>project\d+<\/h1>/);
    assert.match(page, /&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;/);
    assert.doesNotMatch(page, /<script|href="javascript:/);
    assert.match(page, /<input id="clone-http"[^>]* value="http:\/\/[^"]+\.git"/);
    assert.match(page, /<input id="clone-ssh"[^>]* value="[^"]+\.git"/);
    assert.match(page, /0 stars · 0 forks/);
    assert.match(page, /<h2[^>]*>.*Welcome|<h1[^>]*>.*Welcome/);
    assert.match(page, new RegExp(`href="http://[^"]+/${project.full_path}/-/blob/main/docs/guide.md"`));
    assert.ok(page.indexOf('>docs/<') < page.indexOf('>a.ts<'), 'folders come first');
    assert.match(page, /TypeScript/);
  });

  test('a project is shown as far as its reader may see it', async () => {
    const { guest, stranger } = await app.make.members(project);
    const asGuest = await (await WebUser.signIn(app, guest)).page(`/${project.full_path}`);
    assert.doesNotMatch(asGuest, /Welcome|a\.ts|Clone/);
    assert.equal((await (await WebUser.signIn(app, stranger)).get(`/${project.full_path}`)).statusCode, 404);
    const visitor = await new WebUser(app).get(`/${project.full_path}`);
    assert.deepEqual(
      [visitor.statusCode, visitor.headers.location],
      [302, `/users/sign_in?return_to=${encodeURIComponent(`/${project.full_path}`)}`],
    );
    const open = await app.make.project({ visibility: 'public' });
    await commitFiles(app, open.id, { 'README.txt': '*plain* <b>' });
    assert.match(await new WebUser(app).page(`/${open.full_path}`), /<pre dir="auto">\*plain\* &lt;b&gt;<\/pre>/);
  });

  test('an empty project says what to push', async () => {
    const empty = await app.make.project({ visibility: 'public' });
    assert.match(await new WebUser(app).page(`/${empty.full_path}`), /git push --set-upstream origin main/);
  });

  test('the address to clone from leads to the page of the project', async () => {
    const answer = await new WebUser(app).get(`/${project.full_path}.git`);
    assert.deepEqual([answer.statusCode, answer.headers.location], [302, `/${project.full_path}`]);
    // Nobody is led to another server.
    for (const path of ['/%2F%2Fevil.example%2Fa.git', '/%5Cevil.example%2Fa.git', '/%2Fevil.example%2Fa.git'])
      assert.match(String((await new WebUser(app).get(path)).headers.location), /^\/users\/sign_in/);
  });

  test('other clients are still led to the API', async () => {
    const url = `/${project.full_path}`;
    const headers = { accept: 'application/json', 'private-token': 'glpat-root-token-for-the-tests' };
    const answer = await app.instance.server.app.inject({ method: 'GET', url, headers });
    assert.equal(answer.statusCode, 302);
    assert.match(answer.headers.location as string, /\/api\/v4\/projects\/root%2F/);
  });

  test('a group shows what its reader sees of it', async () => {
    const group = await app.make.group({ visibility: 'public' });
    const inner = await app.make.group({ parent: group, visibility: 'public' });
    const hidden = await app.make.group({ parent: group });
    const open = await app.make.project({ namespace: group, visibility: 'public' });
    const closed = await app.make.project({ namespace: group });
    for (const path of [`/${group.full_path}`, `/groups/${group.full_path}`]) {
      const page = await new WebUser(app).page(path);
      assert.match(page, new RegExp(`href="/${inner.full_path}"`));
      assert.match(page, new RegExp(`href="/${open.full_path}"`));
      assert.doesNotMatch(page, new RegExp(`${hidden.path}|${closed.path}`));
    }
    assert.match(await new WebUser(app).page(`/${inner.full_path}`), new RegExp(`<h1>${inner.name}</h1>`));
    const stranger = await WebUser.signIn(app, await app.make.user());
    assert.equal((await stranger.get(`/${hidden.full_path}`)).statusCode, 404);
    assert.equal((await stranger.get(`/groups/${hidden.full_path}`)).statusCode, 404);
    assert.equal((await stranger.get(`/${group.id}`)).statusCode, 404);
  });

  test('a user has a name, a bio and the projects that the reader sees', async () => {
    const ada = await app.make.user({ columns: { bio: HOSTILE } });
    const open = await app.make.project({ owner: ada.user, visibility: 'public' });
    const closed = await app.make.project({ owner: ada.user });
    const page = await (await WebUser.signIn(app, await app.make.user())).page(`/${ada.user.username}`);
    assert.match(page, new RegExp(`<h1>${ada.user.name}</h1>`));
    assert.match(page, /&lt;script&gt;/);
    assert.doesNotMatch(page, /<script/);
    assert.match(page, new RegExp(`href="/${open.full_path}"`));
    assert.doesNotMatch(page, new RegExp(`/${closed.path}"`));
    assert.match(await (await WebUser.signIn(app, ada)).page(`/${ada.user.username}`), new RegExp(`/${closed.path}"`));
    assert.equal((await (await WebUser.signIn(app, ada)).get('/nobody-of-this-name')).statusCode, 404);
    assert.equal((await new WebUser(app).get('/nobody-of-this-name')).statusCode, 302);
  });
});
