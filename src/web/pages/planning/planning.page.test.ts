import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { reviewedProject } from '../../../../test/support/approvals.ts';
import { launchBrowser, type TestBrowser, whyNoBrowser } from '../../../../test/support/browser.ts';
import { assertAccessible, openPage } from '../../../../test/support/browser-page.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { WebUser } from '../../../../test/support/web-user.ts';

describe('pages of planning and review in a browser', { skip: whyNoBrowser() ?? false }, () => {
  let browser: TestBrowser;
  let app: TestApp;
  before(async () => {
    [browser, app] = await Promise.all([launchBrowser(), buildTestApp()]);
  });
  after(async () => {
    await browser.close();
    await app.close();
  });

  /** A project with something on each page. @returns paths of the pages, and somebody who may see them */
  async function filled() {
    const { project, people, push, path: api, mergeRequest } = await reviewedProject(app, { 'c.txt': 'same\nold\n' });
    expectStatus(await push({ 'c.txt': 'same\nnew\n' }, people.developer), 201);
    await app.drain();
    const position = { position_type: 'text', old_path: 'c.txt', new_path: 'c.txt', new_line: 2 };
    const { diff_refs } = expectStatus<{ diff_refs: object }>(await app.get(api), 200);
    const json = { body: 'Why **new**?', position: { ...diff_refs, ...position } };
    expectStatus(await app.post(`${api}/discussions`, { json }), 201);
    const ofProject = `/projects/${project.id}`;
    const milestone = expectStatus<{ id: number }>(
      await app.post(`${ofProject}/milestones`, { json: { title: 'First', due_date: '2030-01-01' } }),
      201,
    );
    const issue = {
      title: 'A bug',
      description: '- `one`\n\n> two',
      labels: 'bug,wish',
      milestone_id: milestone.id,
    };
    const { iid } = expectStatus<{ iid: number }>(await app.post(`${ofProject}/issues`, { json: issue }), 201);
    expectStatus(await app.post(`${ofProject}/issues/${iid}/notes`, { json: { body: 'A comment' } }), 201);
    const { pipeline, jobs } = await makePipeline(app, project, { jobs: [{ name: 'unit', status: 'failed' }] });
    const data = Buffer.from('\u001b[32mgreen\u001b[0m\n');
    const piece = { job_id: jobs.unit!.id, start: 0, size: data.length, data: data.toString('base64') };
    await app.deps.db.insertInto('ci_job_traces').values(piece).execute();
    const mergeRequests = `merge_requests/${mergeRequest.iid}`;
    const paths = [
      ...['issues', `issues/${iid}`, 'issues/new', 'labels', 'milestones', 'milestones/1', 'merge_requests'],
      ...[mergeRequests, `${mergeRequests}/commits`, `${mergeRequests}/diffs`, `${mergeRequests}/diffs?view=parallel`],
      ...['merge_requests/new', 'pipelines', `pipelines/${pipeline.id}`, `jobs/${jobs.unit!.id}`],
    ];
    return { reader: people.maintainer, paths: paths.map((path) => `/${project.full_path}/-/${path}`) };
  }

  test('can be used by everybody, narrow and dark as well as wide and light', async (t) => {
    const { reader, paths } = await filled();
    const { cookies } = await WebUser.signIn(app, reader);
    const baseUrl = await app.listen();
    for (const [screen, colorScheme] of [
      ['narrow', 'dark'],
      ['wide', 'light'],
    ] as const) {
      const tab = await openPage(t, browser, { screen, colorScheme, baseUrl });
      await tab.context.addCookies(cookies.map((cookie) => ({ ...cookie, url: baseUrl })));
      // What has another layout where there is space for it is looked at in both.
      for (const path of screen === 'narrow' ? paths : paths.filter((path) => /\d$|parallel/.test(path))) {
        await tab.page.goto(path);
        await assertAccessible(tab);
        const isWider = await tab.page.evaluate<boolean>(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        if (isWider) throw new Error(`${path} is wider than the window`);
      }
      await tab.assertNoProblems();
    }
  });
});
