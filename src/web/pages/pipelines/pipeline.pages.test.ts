import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { WebUser } from '../../../../test/support/web-user.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const EVIL = '<script>alert(1)</script>"\'';
const MEGABYTE = 1024 * 1024;

describe('pages of pipelines', () => {
  let app: TestApp;
  let project: Project;
  let people: Awaited<ReturnType<TestApp['make']['members']>>;
  before(async () => {
    app = await buildTestApp();
    project = await app.make.project();
    people = await app.make.members(project);
  });
  after(() => app.close());

  const at = (page: string) => `/${project.full_path}/-/${page}`;
  const statusOf = async (job: number) =>
    expectStatus<{ status: string }>(await app.get(`/projects/${project.id}/jobs/${job}`), 200).status;

  async function write(jobId: number, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const piece = { job_id: jobId, start: 0, size: bytes.length, data: bytes.toString('base64') };
    await app.deps.db.insertInto('ci_job_traces').values(piece).execute();
  }

  test('show the jobs of a pipeline by stage, and what came of them', async () => {
    const { pipeline, jobs } = await makePipeline(app, project, {
      jobs: [
        { name: EVIL, stage: 'build', status: 'success' },
        { name: 'unit', stage: 'test', status: 'failed', columns: { failure_reason: 'script_failure' } },
        { name: 'ship', stage: 'deploy', status: 'manual' },
        { name: 'below', stage: 'deploy', status: 'created', kind: 'bridge' },
      ],
      columns: { ref: `main${EVIL}` },
    });
    await write(jobs.unit!.id, `\u001b[31mred\u001b[0m ${EVIL}\n`);
    const reader = await WebUser.signIn(app, people.reporter);
    const list = await reader.page(at('pipelines'));
    assert.match(list, new RegExp(`pipelines/${pipeline.id}"`));
    assert.doesNotMatch(await reader.page(at('pipelines?status=running')), new RegExp(`pipelines/${pipeline.id}"`));
    const text = await reader.page(at(`pipelines/${pipeline.id}`));
    const order = ['>build<', 'alert(1)', '>test<', '>unit<', '>deploy<', '>ship<', '>below<'].map((part) =>
      text.indexOf(part),
    );
    assert.ok(
      order.every((place, index) => place > (order[index - 1] ?? 0)),
      order.join(),
    );
    const job = await reader.page(at(`jobs/${jobs.unit!.id}`));
    assert.match(job, /<span class="log-fg-\d+">red<\/span>/);
    assert.match(job, /assets\/job-log-/);
    assert.match(job, /Script failure/);
    for (const page of [list, text, job, await reader.page(at(`jobs/${jobs[EVIL]!.id}`))])
      assert.ok(!page.includes('<script'), 'a text is part of the page');
  });

  test('do not exist for strangers, and visitors are led to the sign-in', async () => {
    const { pipeline, jobs } = await makePipeline(app, project, { jobs: [{ name: 'hidden-job', status: 'manual' }] });
    const id = jobs['hidden-job']!.id;
    const stranger = await WebUser.signIn(app, people.stranger);
    for (const page of ['pipelines', `pipelines/${pipeline.id}`, `jobs/${id}`]) {
      assert.match(String((await new WebUser(app).get(at(page))).headers.location), /^\/users\/sign_in/);
      const answer = await stranger.get(at(page));
      assert.equal(answer.statusCode, 404);
      assert.doesNotMatch(answer.body, /hidden-job/);
    }
    for (const form of [`jobs/${id}/play`, `pipelines/${pipeline.id}/cancel`])
      assert.equal((await stranger.post(at(form), {})).statusCode, 404);
    const reporter = await WebUser.signIn(app, people.reporter);
    assert.equal((await reporter.post(at(`jobs/${id}/play`), {})).statusCode, 403);
    const developer = await WebUser.signIn(app, people.developer);
    assert.equal((await developer.post(at(`jobs/${id}/play`), {}, 'forged')).statusCode, 403);
    assert.equal(await statusOf(id), 'manual');
  });

  test('play, cancel and retry jobs, and cancel pipelines', async () => {
    const { pipeline, jobs } = await makePipeline(app, project, {
      jobs: [
        { name: 'go', status: 'manual', when: 'manual' },
        { name: 'old', status: 'failed' },
        { name: 'run', status: 'running' },
      ],
    });
    const developer = await WebUser.signIn(app, people.developer);
    const go = at(`jobs/${jobs.go!.id}`);
    assert.match(await developer.page(go), />Play</);
    const played = await developer.post(`${go}/play`, {});
    assert.equal(played.headers.location, go, played.body);
    assert.equal(await statusOf(jobs.go!.id), 'pending');
    assert.match(await developer.page(go), />Cancel</);
    await developer.post(`${go}/cancel`, {});
    assert.equal(await statusOf(jobs.go!.id), 'canceled');
    const retried = await developer.post(at(`jobs/${jobs.old!.id}/retry`), {});
    const [, id] = /jobs\/(\d+)$/.exec(String(retried.headers.location)) ?? [];
    assert.ok(Number(id) > jobs.run!.id);
    assert.equal(await statusOf(Number(id)), 'pending');
    const page = at(`pipelines/${pipeline.id}`);
    assert.equal((await developer.post(`${page}/cancel`, {})).headers.location, page);
    assert.equal(await statusOf(Number(id)), 'canceled');
  });

  test('a long log is shown in parts, its end first', async () => {
    const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'long', status: 'running' }] });
    const id = jobs.long!.id;
    await write(id, `first line\n${`${'x'.repeat(999)}\n`.repeat(Math.ceil(MEGABYTE / 1_000))}last line\n`);
    const reader = await WebUser.signIn(app, people.reporter);
    const end = await reader.page(at(`jobs/${id}`));
    assert.match(end, /last line/);
    assert.doesNotMatch(end, /first line/);
    const [, link = ''] = /href="([^"]+)">Earlier part</.exec(end) ?? [];
    const start = await reader.page(link);
    assert.match(start, /first line/);
    assert.doesNotMatch(start, /last line/);
    const lines = (text: string) => [...text.matchAll(/class="log-line"/g)].length;
    assert.equal(lines(start) + lines(end), Math.ceil(MEGABYTE / 1_000) + 2);
  });
});
