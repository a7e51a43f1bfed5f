import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { WebUser } from '../../../../test/support/web-user.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const HOSTILE = '<img src=x onerror="a">';
const PIXEL = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

describe('pages of folders and files', () => {
  let app: TestApp;
  let project: Project;
  let base: string;
  let reader: WebUser;
  before(async () => {
    app = await buildTestApp();
    project = await app.make.project();
    base = `/${project.full_path}/-`;
    const file = (file_path: string, content: string, encoding = 'text') => ({
      ...{ action: 'create', file_path, content, encoding },
    });
    await commitFiles(app, project.id, [
      file('src/a.ts', `const a = '${HOSTILE}';\n// two\n`),
      file('src/deep/b.txt', 'b\r\n'),
      file('docs/README.md', `# Guide\n\n${HOSTILE} [up](../src/a.ts)\n`),
      file('z.gif', PIXEL, 'base64'),
      file('data.bin', Buffer.from([1, 0, 2]).toString('base64'), 'base64'),
      file('large.txt', 'x'.repeat(512 * 1024 + 1)),
      file('lines.txt', '\n'.repeat(10_001)),
      file(`odd "<b>&#?.txt`, 'odd'),
    ]);
    expectStatus(
      await app.post(`/projects/${project.id}/repository/branches`, { json: { branch: 'feature/x', ref: 'main' } }),
      201,
    );
    await commitFiles(app, project.id, { 'src/new.txt': 'new' }, { branch: 'feature/x' });
    reader = await WebUser.signIn(app, (await app.make.members(project)).reporter);
  });
  after(() => app.close());

  test('a file has highlighted lines with addresses of their own', async () => {
    const page = await reader.page(`${base}/blob/main/src/a.ts`);
    assert.match(
      page,
      /<tr id="L1"><td class="number"><a href="#L1">1<\/a><\/td><td><span class="hl[^"]*">const<\/span>/,
    );
    assert.match(page, /&lt;img src=x/);
    assert.doesNotMatch(page, /<img|id="L3"/);
    for (const kind of ['raw', 'blame', 'commits'])
      assert.match(page, new RegExp(`href="${base}/${kind}/main/src/a.ts"`));
  });

  test('the longest name of a branch wins, and a commit is one, too', async () => {
    assert.match(await reader.page(`${base}/blob/feature/x/src/new.txt`), /<td>new<\/td>/);
    assert.equal((await reader.get(`${base}/blob/main/src/new.txt`)).statusCode, 404);
    assert.match(await reader.page(`${base}/tree/feature/x`), /Files of feature\/x/);
    const branch = expectStatus<{ commit: { id: string } }>(
      await app.get(`/projects/${project.id}/repository/branches/main`),
      200,
    );
    assert.match(await reader.page(`${base}/blob/${branch.commit.id}/src/deep/b.txt`), /<td>b<\/td>/);
  });

  test('a folder lists folders first, and shows its README with links to files', async () => {
    const page = await reader.page(`${base}/tree/main/src`);
    assert.ok(page.indexOf('>deep/<') < page.indexOf('>a.ts<'));
    assert.match(page, new RegExp(`href="${base}/tree/main"`));
    const docs = await reader.page(`${base}/tree/main/docs/`);
    assert.match(docs, new RegExp(`href="http://[^"]+${base}/blob/main/src/a.ts"`));
    assert.doesNotMatch(docs, /onerror/);
  });

  test('a folder that is linked as a file is found', async () => {
    assert.equal((await reader.get(`${base}/blob/main/src`)).headers.location, `${base}/tree/main/src`);
    assert.equal((await reader.get(`${base}/blob/feature/x`)).headers.location, `${base}/tree/feature/x`);
  });

  test('Markdown is rendered, or shown as its source', async () => {
    assert.match(await reader.page(`${base}/blob/main/docs/README.md`), /Guide<\/h1>/);
    const source = await reader.page(`${base}/blob/main/docs/README.md?plain=1`);
    assert.match(source, /id="L1"/);
    assert.match(source, /&lt;img|<span[^>]*>&lt;/);
    assert.doesNotMatch(source, /<img/);
  });

  test('images are shown, and what is binary or too large is to be downloaded', async () => {
    assert.match(
      await reader.page(`${base}/blob/main/z.gif`),
      new RegExp(`<img src="data:image/gif;base64,${PIXEL}" alt="z.gif">`),
    );
    assert.match(
      await reader.page(`${base}/blob/main/data.bin`),
      new RegExp(`binary. <a href="${base}/raw/main/data.bin"`),
    );
    for (const name of ['large.txt', 'lines.txt']) {
      const page = await reader.page(`${base}/blob/main/${name}`);
      assert.match(page, new RegExp(`too large to be shown. <a href="${base}/raw/main/${name}"`));
    }
  });

  test('a project that has moved is found at its old address', async () => {
    const moved = await app.make.project();
    await commitFiles(app, moved.id, { 'a.txt': 'moved\n' });
    expectStatus(await app.put(`/projects/${moved.id}`, { json: { path: `${moved.path}-new` } }), 200);
    const owner = await app.make.user({ admin: true });
    const browser = await WebUser.signIn(app, owner);
    for (const path of ['', '/-/tree/main', '/-/blob/main/a.txt', '/-/commits/main', '/-/blame/main/a.txt'])
      assert.ok((await browser.page(`/${moved.full_path}${path}`)).includes(`href="/${moved.full_path}-new"`), path);
    assert.equal((await reader.get(`/${moved.full_path}`)).statusCode, 404);
  });

  test('odd names are escaped where they are shown, and encoded in addresses', async () => {
    const encoded = encodeURIComponent('odd "<b>&#?.txt');
    const root = await reader.page(`${base}/tree/main`);
    assert.ok(root.includes(`href="${base}/blob/main/${encoded}">odd &quot;&lt;b&gt;&amp;#?.txt</a>`), root);
    assert.match(await reader.page(`${base}/blob/main/${encoded}`), /<td>odd<\/td>/);
  });

  test('who may not read the code finds nothing', async () => {
    const { guest, stranger } = await app.make.members(project);
    for (const path of ['tree/main', 'blob/main/src/a.ts']) {
      assert.equal((await (await WebUser.signIn(app, guest)).get(`${base}/${path}`)).statusCode, 404);
      assert.equal((await (await WebUser.signIn(app, stranger)).get(`${base}/${path}`)).statusCode, 404);
      const visitor = await new WebUser(app).get(`${base}/${path}`);
      assert.equal(visitor.headers.location, `/users/sign_in?return_to=${encodeURIComponent(`${base}/${path}`)}`);
      assert.equal((await reader.get(`${base}/${path.replace('main', 'nowhere')}`)).statusCode, 404);
    }
    for (const path of ['tree/main/none', 'blob/main/none', 'tree/main/src/a.ts'])
      assert.equal((await reader.get(`${base}/${path}`)).statusCode, 404, path);
    const open = await app.make.project({ visibility: 'public' });
    await commitFiles(app, open.id, { 'a.txt': 'open\n' });
    assert.match(await new WebUser(app).page(`/${open.full_path}/-/blob/main/a.txt`), /<td>open<\/td>/);
  });
});
