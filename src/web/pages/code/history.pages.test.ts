import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { WebUser } from '../../../../test/support/web-user.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { fileAnchor } from '../diffs/diff-table.ts';

const HOSTILE = '<script>alert("1")</script>';

describe('pages of commits, branches, tags, comparisons and blames', () => {
  let app: TestApp;
  let project: Project;
  let base: string;
  let reader: WebUser;
  let first: string;
  let second: string;
  before(async () => {
    app = await buildTestApp();
    project = await app.make.project();
    base = `/${project.full_path}/-`;
    first = (
      await commitFiles(app, project.id, { 'a.ts': 'const a = 1;\nconst b = 2;\nlet count = 3;\n', 'b.txt': 'b' })
    ).id;
    const changes = [
      { action: 'update', file_path: 'a.ts', content: `const a = 1;\nconst b = '${HOSTILE}';\nlet count = 4;\n` },
      { action: 'delete', file_path: 'b.txt' },
      { action: 'create', file_path: 'big.txt', content: 'big line\n'.repeat(20_000) },
    ];
    const message = `Change ${HOSTILE}\n\nBody ${HOSTILE}`;
    const author = { author_name: 'Ada & co', author_email: 'ada@example.com' };
    second = (
      await commitFiles(app, project.id, changes, {
        commit_message: message,
        branch: 'feature/x',
        start_branch: 'main',
        ...author,
      })
    ).id;
    expectStatus(
      await app.post(`/projects/${project.id}/repository/tags`, {
        json: { tag_name: 'v1', ref: 'main', message: HOSTILE },
      }),
      201,
    );
    reader = await WebUser.signIn(app, (await app.make.members(project)).reporter);
  });
  after(() => app.close());

  test('a history has the commits of a ref, or of a file, page by page', async () => {
    const page = await reader.page(`${base}/commits/feature/x`);
    assert.match(page, /Change &lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;<\/a>/);
    assert.match(page, /Ada &amp; co/);
    assert.ok(page.includes(`href="${base}/commit/${second}"`) && page.includes(`>${first.slice(0, 8)}</a>`));
    assert.doesNotMatch(page, /<script/);
    assert.doesNotMatch(await reader.page(`${base}/commits/feature/x/big.txt`), new RegExp(first));
    assert.match(await reader.page(`${base}/commits/main?page=2`), /There are no commits/);
  });

  test('a commit shows its message, its parents and the lines that it changed', async () => {
    const page = await reader.page(`${base}/commit/${second.slice(0, 8)}`);
    assert.match(page, /<h1>Change &lt;script&gt;/);
    assert.match(page, /Body &lt;script&gt;/);
    assert.doesNotMatch(page, /<script/);
    assert.match(page, new RegExp(`parent <a class="mono" href="${base}/commit/${first}"`));
    const anchor = fileAnchor('a.ts');
    assert.ok(page.includes(`<section class="box" id="${anchor}"`));
    const line = anchor.replace('diff-', '');
    assert.match(page, new RegExp(`<tr id="${line}_3_">.*class="delete">.*<mark class="diff-word">`));
    assert.match(
      page,
      new RegExp(`<tr id="${line}__2">.*href="#${line}__2" aria-label="New line 2">2</a>.*class="add">`),
    );
    assert.match(page, new RegExp(`<tr id="${line}_1_1">.*class="context">`));
    assert.match(page, /too large to be shown/);
    assert.ok(page.includes(`href="${base}/blob/${first}/b.txt"`), 'a deleted file is that of the parent');
    assert.ok(page.includes(`href="${base}/blob/${second}/a.ts"`));
    assert.match(await reader.page(`${base}/commit/${first}`), /no parents/);
  });

  test('branches and tags lead to their files and histories', async () => {
    const branches = await reader.page(`${base}/branches`);
    assert.ok(branches.includes(`href="${base}/tree/feature/x">feature/x</a>`));
    assert.ok(branches.includes(`href="${base}/compare/main...feature/x"`));
    assert.match(branches, />main<\/a> <span class="state">Default/);
    const tags = await reader.page(`${base}/tags`);
    assert.ok(tags.includes(`href="${base}/commits/v1"`));
    assert.match(tags, /&lt;script&gt;/);
    assert.doesNotMatch(tags, /<script/);
  });

  test('a comparison has commits and changed files', async () => {
    const page = await reader.page(`${base}/compare/main...feature/x`);
    assert.match(page, /<h1>Compare main with feature\/x<\/h1>/);
    assert.ok(page.includes(`href="${base}/commit/${second}"`));
    assert.match(page, /Changed files: 3/);
    assert.match(await reader.page(`${base}/compare/feature/x...main`), /There are no commits[\s\S]*Changed files: 0/);
    assert.match(await reader.page(`${base}/compare/feature/x..main`), /Changed files: 3/);
  });

  test('a blame names the commit of each line', async () => {
    const page = await reader.page(`${base}/blame/feature/x/a.ts`);
    assert.match(page, new RegExp(`<tr id="L1"><td><a href="${base}/commit/${first}"`));
    assert.match(page, new RegExp(`<tr id="L2"><td><a href="${base}/commit/${second}" title="Change &lt;script&gt;`));
    assert.doesNotMatch(page, /<script/);
    assert.match(await reader.page(`${base}/blame/feature/x/big.txt?from=10001`), /no lines to be shown/);
    await commitFiles(app, project.id, { 'long.txt': 'line\n'.repeat(1_500) });
    const long = await reader.page(`${base}/blame/main/long.txt`);
    assert.ok(long.includes('?from=1001">Further lines') && !long.includes('id="L1001"'));
    const last = await reader.page(`${base}/blame/main/long.txt?from=1001`);
    assert.ok(last.includes('?from=1">Lines before') && last.includes('id="L1500"') && !last.includes('id="L1501"'));
  });

  test('what is expensive counts for pages, too, and ends with them', async (t) => {
    const { expensive } = app.deps;
    const { enter } = expensive;
    let [running, most] = [0, 0];
    t.after(() => {
      expensive.enter = enter;
    });
    expensive.enter = (key) => {
      const leave = enter.call(expensive, key);
      running += 1;
      most = Math.max(most, running);
      return () => {
        running -= 1;
        leave();
      };
    };
    const path = `${base}/compare/main...feature/x`;
    for (let again = 0; again < 10; again += 1) await reader.page(path);
    assert.ok(most > 0);
    assert.equal(running, 0);
    const answers = await Promise.all(Array.from({ length: 30 }, () => reader.get(path)));
    const statuses = new Set(answers.map(({ statusCode }) => statusCode));
    assert.ok(
      [...statuses].every((status) => status === 200 || status === 429),
      [...statuses].join(' '),
    );
    assert.ok(most <= app.deps.config.limits.expensivePerCaller);
    assert.equal(running, 0);
  });

  test('who may not read the code finds nothing, nor does anybody where there is nothing', async () => {
    const { guest, stranger } = await app.make.members(project);
    const others = [await WebUser.signIn(app, guest), await WebUser.signIn(app, stranger)];
    const pages = [
      'commits/main',
      `commit/${first}`,
      'branches',
      'tags',
      'compare/main...feature/x',
      'blame/main/a.ts',
    ];
    for (const path of pages) {
      for (const other of others) assert.equal((await other.get(`${base}/${path}`)).statusCode, 404, path);
      const visitor = await new WebUser(app).get(`${base}/${path}`);
      assert.equal(visitor.headers.location, `/users/sign_in?return_to=${encodeURIComponent(`${base}/${path}`)}`);
    }
    const nowhere = [
      'commits/none',
      'commit/main',
      `commit/${'0'.repeat(40)}`,
      'compare/main',
      'compare/main...none',
      'blame/main',
      'blame/main/none',
    ];
    for (const path of nowhere) assert.equal((await reader.get(`${base}/${path}`)).statusCode, 404, path);
  });
});
