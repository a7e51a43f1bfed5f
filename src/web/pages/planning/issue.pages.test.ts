import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { WebUser } from '../../../../test/support/web-user.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

/** Texts that must not become parts of a page. */
const EVIL = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>';
const MARKDOWN = `**bold** [link](javascript:alert(3)) ${EVIL}`;

describe('pages of issues', () => {
  let app: TestApp;
  let project: Project;
  let people: Awaited<ReturnType<TestApp['make']['members']>>;
  before(async () => {
    app = await buildTestApp();
    project = await app.make.project();
    people = await app.make.members(project);
  });
  after(() => app.close());

  const at = (page: string, of = project) => `/${of.full_path}/-/${page}`;
  const browser = (who: TestUser) => WebUser.signIn(app, who);
  const newIssue = async (json: object, of = project) =>
    expectStatus<{ iid: number; web_url: string }>(await app.post(`/projects/${of.id}/issues`, { json }), 201);

  function assertHarmless(text: string): void {
    for (const part of ['<script', '<img src=x', 'onerror=alert(2)>', 'href="javascript:'])
      assert.ok(!text.includes(part), `${part} is part of the page`);
  }

  test('lead visitors to the sign-in, and do not exist for strangers', async () => {
    const { iid } = await newIssue({ title: 'Hidden' });
    const pages = ['issues', `issues/${iid}`, 'issues/new', 'labels', 'milestones'].map((page) => at(page));
    const stranger = await browser(people.stranger);
    for (const page of pages) {
      const answer = await new WebUser(app).get(page);
      assert.equal(answer.headers.location, `/users/sign_in?return_to=${encodeURIComponent(page)}`);
      const { statusCode, body } = await stranger.get(page);
      assert.equal(statusCode, 404, page);
      assert.ok(!body.includes('Hidden') && !body.includes(project.name), page);
    }
    for (const form of ['issues', `issues/${iid}/notes`, `issues/${iid}/state`])
      assert.equal((await stranger.post(at(form), { title: 'a', body: 'a', state_event: 'close' })).statusCode, 404);
    assert.equal((await (await browser(people.guest)).get(at('issues/99999'))).statusCode, 404);
    assert.equal((await (await browser(people.guest)).get(at('issues/x'))).statusCode, 404);
  });

  test('show public issues to visitors without forms, and no confidential ones', async () => {
    const open = await app.make.project({ visibility: 'public' });
    const { iid } = await newIssue({ title: 'Seen by all' }, open);
    const secret = await newIssue({ title: 'Secret plan', confidential: true }, open);
    const visitor = new WebUser(app);
    const list = await visitor.page(at('issues', open));
    assert.match(list, /Seen by all/);
    assert.doesNotMatch(list, /Secret plan|New issue/);
    assert.doesNotMatch(await visitor.page(at(`issues/${iid}`, open)), /<textarea|Close issue/);
    assert.match(String((await visitor.get(at(`issues/${secret.iid}`, open))).headers.location), /sign_in/);
    assert.equal((await (await browser(people.stranger)).get(at(`issues/${secret.iid}`, open))).statusCode, 404);
  });

  test('filter by state, text, label and people, and keep the filters on the next page', async () => {
    const many = await app.make.project();
    const { developer, guest } = await app.make.members(many);
    await newIssue({ title: 'Crash at start', labels: 'bug', assignee_id: developer.user.id }, many);
    const closed = await newIssue({ title: 'Old crash' }, many);
    await app.put(`/projects/${many.id}/issues/${closed.iid}`, { json: { state_event: 'close' } });
    for (let at = 0; at < 21; at += 1) await newIssue({ title: `Wish ${at}`, labels: 'wish' }, many);
    const reader = await browser(guest);
    const titles = async (query: string) => {
      const text = await reader.page(at(`issues?${query}`, many));
      return [...text.matchAll(/class="title" href="[^"]+">([^<]+)</g)].map(([, title]) => title);
    };
    assert.equal((await titles('')).length, 20);
    assert.deepEqual(await titles('search=crash'), ['Crash at start']);
    assert.deepEqual(await titles('search=crash&state=closed'), ['Old crash']);
    assert.deepEqual((await titles('search=crash&state=all')).sort(), ['Crash at start', 'Old crash']);
    assert.deepEqual(await titles('label=bug'), ['Crash at start']);
    assert.deepEqual(await titles(`assignee=${developer.user.username}`), ['Crash at start']);
    assert.deepEqual(await titles(`author=${guest.user.username}`), []);
    const first = await reader.page(at('issues?label=wish', many));
    const [, next = ''] = /href="([^"]+)">Next page</.exec(first) ?? [];
    assert.match(await reader.page(next.replaceAll('&amp;', '&')), /label=wish[^"]*">Previous page/);
  });

  test('show texts of others harmlessly', async () => {
    const label = { name: EVIL, color: '#dc143c', description: EVIL };
    expectStatus(await app.post(`/projects/${project.id}/labels`, { json: label }), 201);
    const json = { title: EVIL, due_date: '2030-01-01', description: EVIL };
    const milestone = expectStatus<{ id: number; iid: number }>(
      await app.post(`/projects/${project.id}/milestones`, { json }),
      201,
    );
    const { iid } = await newIssue({ ...json, labels: [EVIL], milestone_id: milestone.id, description: MARKDOWN });
    await app.post(`/projects/${project.id}/issues/${iid}/notes`, { json: { body: MARKDOWN } });
    const reader = await browser(people.guest);
    const search = encodeURIComponent(EVIL);
    const issue = await reader.page(at(`issues/${iid}`));
    assert.match(issue, /<strong>bold<\/strong>/);
    assert.match(issue, /&lt;script&gt;alert\(1\)/);
    assert.match(issue, /class="dot color-dc143c"/);
    assert.match(issue, /2030-01-01/);
    const pages = [
      'issues',
      'labels',
      'milestones',
      `milestones/${milestone.iid}`,
      `issues?search=${search}&author=${search}`,
    ];
    for (const text of [issue, ...(await Promise.all(pages.map((page) => reader.page(at(page)))))])
      assertHarmless(text);
    assert.match(await reader.page(at(`milestones/${milestone.iid}`)), new RegExp(`issues/${iid}"`));
  });

  test('open an issue, comment on it, answer, close and reopen it', async () => {
    const reporter = await browser(people.reporter);
    assert.match(await reporter.page(at('issues/new')), /<h1>New issue/);
    const made = await reporter.post(at('issues'), {
      ...{ title: 'Broken lamp', description: 'It is\r\ndark', labels: 'house, light', due_date: '2031-02-03' },
    });
    assert.equal(made.statusCode, 302, made.body);
    const path = String(made.headers.location);
    const iid = path.split('/').at(-1);
    const api = `/projects/${project.id}/issues/${iid}`;
    const issue = expectStatus<{ description: string; labels: string[]; due_date: string; confidential: boolean }>(
      await app.get(api),
      200,
    );
    assert.deepEqual(
      [issue.description, issue.labels, issue.due_date, issue.confidential],
      ['It is\ndark', ['house', 'light'], '2031-02-03', false],
    );

    const guest = await browser(people.guest);
    const commented = await guest.post(`${path}/notes`, { body: 'I have a candle' });
    const [, note] = /^(?:.*)#note_(\d+)$/.exec(String(commented.headers.location)) ?? [];
    const text = await guest.page(path);
    assert.match(text, new RegExp(`id="note_${note}"`));
    assert.match(text, /I have a candle/);
    const [, discussion = ''] = /name="discussion" value="(\w+)"/.exec(text) ?? [];
    const answered = await reporter.post(`${path}/notes`, { body: 'Thank you', discussion, page: '1' });
    assert.match(String(answered.headers.location), /#note_\d+$/);
    const threads = expectStatus<{ notes: { body: string }[] }[]>(await app.get(`${api}/discussions`), 200);
    assert.ok(threads.some(({ notes }) => notes.map(({ body }) => body).join() === 'I have a candle,Thank you'));

    const refused = await guest.post(`${path}/state`, { state_event: 'close' });
    assert.equal(refused.statusCode, 403);
    assert.match(refused.body, /You may not do that/);
    assert.equal((await reporter.post(`${path}/state`, { state_event: 'close' })).headers.location, path);
    assert.match(await guest.page(path), /Reopen issue/);
    await reporter.post(`${path}/state`, { state_event: 'reopen' });
    assert.match(await guest.page(path), /Close issue/);
    assert.equal((await reporter.post(`${path}/notes`, { body: '/close' })).headers.location, path);
    assert.match(await guest.page(path), /Reopen issue/);
  });

  test('show refused forms again, as they were typed', async () => {
    const reporter = await browser(people.reporter);
    const before = expectStatus<unknown[]>(await app.get(`/projects/${project.id}/issues?state=all`), 200).length;
    const untitled = await reporter.post(at('issues'), { title: '', description: `Text ${EVIL}`, labels: 'a' });
    assert.equal(untitled.statusCode, 422);
    assert.match(untitled.body, /role="alert"/);
    assert.match(untitled.body, /Text &lt;script&gt;/);
    assertHarmless(untitled.body);
    const { iid } = await newIssue({ title: 'To comment' });
    const long = await reporter.post(at(`issues/${iid}/notes`), { body: '' });
    assert.equal(long.statusCode, 422);
    assert.match(long.body, /role="alert"/);
    const forged = await reporter.post(at(`issues/${iid}/notes`), { body: 'forged' }, 'forged');
    assert.equal(forged.statusCode, 403);
    assert.doesNotMatch(await reporter.page(at(`issues/${iid}`)), /forged/);
    const visitor = await new WebUser(app).post(at(`issues/${iid}/notes`), { body: 'forged' });
    assert.equal(visitor.headers.location, '/users/sign_in');
    const now = expectStatus<unknown[]>(await app.get(`/projects/${project.id}/issues?state=all`), 200).length;
    assert.equal(now, before + 1);
  });
});
