import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { reviewedProject } from '../../../../test/support/approvals.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { WebUser } from '../../../../test/support/web-user.ts';
import { fileAnchor } from '../diffs/diff-table.ts';

const EVIL = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>';

function assertHarmless(text: string): void {
  for (const part of ['<script', '<img src=x', 'onerror=alert(2)>', 'href="javascript:'])
    assert.ok(!text.includes(part), `${part} is part of the page`);
}

describe('pages of merge requests', () => {
  let app: TestApp;
  before(async () => {
    app = await buildTestApp();
  });
  after(() => app.close());

  const browser = (who: TestUser) => WebUser.signIn(app, who);

  test('a change goes from a push to the merge by forms alone', async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const terminal = await GitUser.of(app);
    const dir = await terminal.tree();
    await terminal.ok(dir, 'push', terminal.address(project), 'main');
    await terminal.ok(dir, 'switch', '--quiet', '--create', 'greet/all');
    await terminal.commit(dir, 'greeting.txt', 'Good morning\n');
    const told = await terminal.ok(dir, 'push', terminal.address(project, developer.token), 'greet/all');
    const [, address = ''] = /(http\S+merge_requests\/new\S+)/.exec(told) ?? [];

    const author = await browser(developer);
    const form = await author.page(address.replace(/^https?:\/\/[^/]+/, ''));
    assert.match(form, /name="merge_request\[source_branch\]" value="greet\/all"/);
    assert.match(form, /name="merge_request\[target_branch\]" value="main"/);
    assert.match(form, /name="merge_request\[title\]" value="Change greeting.txt"/);
    const base = `/${project.full_path}/-/merge_requests`;
    const opened = await author.post(base, {
      'merge_request[source_branch]': 'greet/all',
      'merge_request[target_branch]': 'main',
      'merge_request[title]': 'Greet',
      'merge_request[description]': 'Says **hello**',
    });
    assert.equal(opened.headers.location, `${base}/1`, opened.body);
    const page = `${base}/1`;
    assert.match(await author.page(page), /Says <strong>hello<\/strong>/);

    const reviewer = await browser(maintainer);
    assert.match(String((await reviewer.post(`${page}/notes`, { body: 'Very nice' })).headers.location), /#note_\d+$/);
    const seen = await reviewer.page(page);
    const [, sha = ''] = /name="sha" value="([0-9a-f]+)"/.exec(seen) ?? [];
    assert.equal((await reviewer.post(`${page}/approve`, { sha })).headers.location, page);
    const approved = await reviewer.page(page);
    assert.match(approved, new RegExp(`Approved by <a[^>]+>${maintainer.user.name}`));
    assert.match(approved, /It can be merged\./);
    assert.match(approved, />Revoke approval</);
    assert.match(approved, /Very nice/);
    const commits = await author.page(`${page}/commits`);
    assert.match(commits, /Change greeting\.txt/);
    const outdated = await reviewer.post(`${page}/merge`, { sha: 'a'.repeat(40) });
    assert.equal(outdated.statusCode, 422);
    assert.match(outdated.body, /role="alert"/);
    const fields = { sha, should_remove_source_branch: 'true', squash: 'true' };
    assert.equal((await reviewer.post(`${page}/merge`, fields)).headers.location, page);
    await app.drain();
    assert.match(await author.page(page), />Merged</);
    const branches = expectStatus<{ name: string }[]>(
      await app.get(`/projects/${project.id}/repository/branches`),
      200,
    );
    assert.deepEqual(
      branches.map(({ name }) => name),
      ['main'],
    );
    assert.equal(
      (await app.get(`/projects/${project.id}/repository/files/greeting.txt/raw?ref=main`)).body,
      'Good morning\n',
    );
  });

  test('are hidden from strangers and guests, and refuse what somebody may not do', async () => {
    const { project, people, mergeRequest, approvedBy, path: api } = await reviewedProject(app);
    const base = `/${project.full_path}/-/merge_requests`;
    const page = `${base}/${mergeRequest.iid}`;
    const pages = [base, page, `${page}/commits`, `${page}/diffs`, `${base}/new`];
    const stranger = await browser(people.stranger);
    const guest = await browser(people.guest);
    for (const path of pages) {
      assert.match(String((await new WebUser(app).get(path)).headers.location), /^\/users\/sign_in\?return_to=/);
      assert.equal((await stranger.get(path)).statusCode, 404, path);
      assert.equal((await guest.get(path)).statusCode, 404, path);
    }
    for (const form of ['notes', 'approve', 'unapprove', 'merge', 'state', 'resolve', 'rebase', 'cancel_auto_merge'])
      assert.equal((await stranger.post(`${page}/${form}`, { body: 'a', state_event: 'close' })).statusCode, 404, form);
    const reporter = await browser(people.reporter);
    const seen = await reporter.page(page);
    assert.doesNotMatch(seen, />(?:Merge|Approve)</);
    for (const form of ['approve', 'merge', 'state']) {
      const answer = await reporter.post(`${page}/${form}`, { state_event: 'close' });
      assert.equal(answer.statusCode, 403, form);
      assert.match(answer.body, /You may not do that/);
    }
    const developer = await browser(people.developer);
    assert.equal((await developer.post(`${page}/approve`, {}, 'forged')).statusCode, 403);
    assert.deepEqual(await approvedBy(), []);
    const maintainer = await browser(people.maintainer);
    await maintainer.post(`${page}/approve`, {});
    assert.deepEqual(await approvedBy(), [people.maintainer.user.id]);
    await maintainer.post(`${page}/unapprove`, {});
    assert.deepEqual(await approvedBy(), []);
    await developer.post(`${page}/state`, { state_event: 'close' });
    assert.match(await developer.page(page), />Reopen merge request</);
    assert.equal(expectStatus<{ state: string }>(await app.get(api), 200).state, 'closed');
    assert.match(await developer.page(`${base}?state=closed`), new RegExp(`merge_requests/${mergeRequest.iid}"`));
    assert.doesNotMatch(await developer.page(base), new RegExp(`merge_requests/${mergeRequest.iid}"`));
  });

  test('a refused merge request is shown as it was typed', async () => {
    const { project, people } = await reviewedProject(app);
    const developer = await browser(people.developer);
    const answer = await developer.post(`/${project.full_path}/-/merge_requests`, {
      'merge_request[source_branch]': 'missing',
      'merge_request[target_branch]': 'main',
      'merge_request[title]': EVIL,
      'merge_request[description]': 'Typed',
    });
    assert.equal(answer.statusCode, 422);
    assert.match(answer.body, /role="alert"/);
    assert.match(answer.body, /value="missing"/);
    assert.match(answer.body, />Typed</);
    assertHarmless(answer.body);
  });

  test('show changes with the threads of their lines, in both views, harmlessly', async () => {
    const { project, people, push, path: api, mergeRequest } = await reviewedProject(app, { 'c.txt': 'same\nold\n' });
    expectStatus(await push({ 'c.txt': 'same\nnew\n', 'evil.html': `${EVIL}\n` }, people.developer), 201);
    await app.drain();
    const { diff_refs } = expectStatus<{ diff_refs: object }>(await app.get(api), 200);
    const title = `Evil ${EVIL}`;
    expectStatus(await app.put(api, { json: { title, description: EVIL } }), 200);
    const startThread = async (place: object, body: string) => {
      const position = { ...diff_refs, position_type: 'text', old_path: 'c.txt', new_path: 'c.txt', ...place };
      return expectStatus<{ id: string; notes: { id: number }[] }>(
        await app.post(`${api}/discussions`, { json: { body, position } }),
        201,
      );
    };
    const added = await startThread({ new_line: 2 }, `On the new line ${EVIL}`);
    const deleted = await startThread({ old_line: 2 }, 'On the old line');
    const reviewer = await browser(people.developer);
    const page = `/${project.full_path}/-/merge_requests/${mergeRequest.iid}`;
    for (const view of ['inline', 'parallel']) {
      const text = await reviewer.page(`${page}/diffs?view=${view}`);
      assertHarmless(text);
      assert.match(text, /&lt;script&gt;alert\(1\)/);
      assert.ok(text.includes(`id="${fileAnchor('c.txt')}"`));
      const places = ['On the old line', 'On the new line', `note_${added.notes[0]!.id}"`];
      for (const place of places) assert.equal(text.split(place).length > 1, true, place);
      const [, below = ''] = text.split(`id="${fileAnchor('c.txt').slice(5)}_2_"`);
      assert.ok(below.includes('On the old line'), view);
      const other = view === 'inline' ? 'parallel' : 'inline';
      assert.ok(text.includes(`view=${other}`));
    }
    const inline = await reviewer.page(`${page}/diffs`);
    const order = ['On the old line', `_2"`, 'On the new line'].map((part) => inline.indexOf(part));
    assert.ok(
      order.every((at, index) => at > 0 && at > (order[index - 1] ?? 0)),
      order.join(),
    );
    const alone = await reviewer.page(`${page}/diffs?alone=true&page=1`);
    assert.equal([...alone.matchAll(/class="box" id="diff-/g)].length, 1);

    const overview = await reviewer.page(page);
    assertHarmless(overview);
    assert.match(overview, new RegExp(`diffs#${fileAnchor('c.txt')}">c.txt, line 2`));
    const fields = { discussion: deleted.id, resolved: 'true', note: String(deleted.notes[0]!.id), page: '1' };
    const started = await reviewer.post(`${page}/notes`, { body: 'Let us talk', thread: 'true' });
    const [, note] = /#note_(\d+)$/.exec(String(started.headers.location)) ?? [];
    const talk = expectStatus<{ notes: { id: number; resolvable: boolean }[] }[]>(
      await app.get(`${api}/discussions`),
      200,
    );
    assert.equal(talk.find(({ notes }) => String(notes[0]!.id) === note)!.notes[0]!.resolvable, true);
    const resolved = await reviewer.post(`${page}/resolve`, fields);
    assert.equal(resolved.headers.location, `${page}#note_${deleted.notes[0]!.id}`);
    const threads = expectStatus<{ id: string; notes: { resolved: boolean }[] }[]>(
      await app.get(`${api}/discussions`),
      200,
    );
    assert.equal(threads.find(({ id }) => id === deleted.id)!.notes[0]!.resolved, true);
    assert.match(await reviewer.page(page), />Reopen thread</);
    assert.equal((await (await browser(people.reporter)).post(`${page}/resolve`, fields)).statusCode, 403);
  });

  test('start threads on lines of changes', async () => {
    const { project, people, push, path: api, mergeRequest } = await reviewedProject(app, { 'c.txt': 'same\nold\n' });
    expectStatus(await push({ 'c.txt': 'same\nnew\n' }, people.developer), 201);
    await app.drain();
    const reviewer = await browser(people.developer);
    const page = `/${project.full_path}/-/merge_requests/${mergeRequest.iid}`;
    const [, at = ''] =
      /name="at" value="(\d+)"><input type="hidden" name="path" value="c.txt"/.exec(
        await reviewer.page(`${page}/diffs`),
      ) ?? [];
    const places = async () => {
      const threads = expectStatus<{ notes: { position?: { old_line: number | null; new_line: number | null } }[] }[]>(
        await app.get(`${api}/discussions`),
        200,
      );
      return threads.flatMap(({ notes: [note] }) =>
        note?.position === undefined ? [] : [[note.position.old_line ?? null, note.position.new_line ?? null]],
      );
    };
    const send = (fields: Record<string, string>) =>
      reviewer.post(`${page}/line_notes`, { at, path: 'c.txt', side: 'new', line: '2', body: 'Why?', ...fields });
    for (const fields of [
      { side: 'new', line: '1' },
      { side: 'new', line: '2' },
      { side: 'old', line: '2' },
    ]) {
      const answer = await send(fields);
      assert.match(String(answer.headers.location), /\/diffs\?page=1#note_\d+$/, answer.body);
    }
    assert.deepEqual(await places(), [
      [1, 1],
      [null, 2],
      [2, null],
    ]);
    assert.equal((await reviewer.page(`${page}/diffs`)).split('Why?').length, 4);
    for (const [fields, told] of [
      [{ line: '9', body: `Typed ${EVIL}` }, /no such line/],
      [{ path: 'other.txt' }, /become others/],
      [{ at: '99' }, /become others/],
      [{ body: '' }, /role="alert"/],
    ] as const) {
      const answer = await send(fields);
      assert.equal(answer.statusCode, 422);
      if (!('at' in fields)) assert.match(answer.body, told);
      assertHarmless(answer.body);
    }
    assert.match((await send({ line: '9', body: 'Typed before' })).body, />Typed before</);
    const stranger = await browser(people.stranger);
    assert.equal(
      (await stranger.post(`${page}/line_notes`, { at, path: 'c.txt', line: '1', body: 'a' })).statusCode,
      404,
    );
    assert.equal((await places()).length, 3);
  });

  test('long changes are named, and shown alone', async () => {
    const { project, people, push, mergeRequest } = await reviewedProject(app);
    const long = Array.from({ length: 3_100 }, (_, at) => `line ${at}\n`).join('');
    expectStatus(await push({ 'long.txt': long }, people.developer), 201);
    await app.drain();
    const reader = await browser(people.reporter);
    const page = `/${project.full_path}/-/merge_requests/${mergeRequest.iid}/diffs`;
    const text = await reader.page(page);
    assert.doesNotMatch(text, /line 3099/);
    const [, link = ''] = /href="([^"]+)" aria-label="Show them alone: long.txt"/.exec(text) ?? [];
    assert.match(await reader.page(link.replaceAll('&amp;', '&')), /line 3099/);
  });
});
