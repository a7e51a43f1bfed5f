import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { endJob, type HeldJob, holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { type SeededProject, seededProject } from '../../../../test/support/seeded-project.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import type { ReleaseJson } from './releases.responses.ts';

const DAY_MS = 86_400_000;
const JOB = { name: 'rspec' };
/** The current time, since files on disk have real modification times. */
const clock = new TestClock(new Date());
let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp({ clock });
  url = await app.listen();
  await app.deps.jobs.maintain();
});
after(() => app.close());

/** Makes a job of a commit, and has it leave an archive, a report, or both. */
async function leave(
  { project, head }: SeededProject,
  files: { archive?: boolean; report?: boolean },
  options: Parameters<typeof holdJob>[2] = {},
): Promise<HeldJob> {
  const { archive = true, report = true } = files;
  // With `into` the pipeline that is made stays without a job: it is of no commit.
  const sha = options.into === undefined ? head : '0'.repeat(40);
  const held = await holdJob(app, project, { ...JOB, ...options, pipeline: { sha, ...options.pipeline } });
  const expire_in = '1 day';
  if (archive) expectStatus(await uploadArtifact(app, held, await zipOf({ n: held.job.name }), { expire_in }), 201);
  const junit = { artifact_type: 'junit', artifact_format: 'gzip', expire_in };
  if (report) expectStatus(await uploadArtifact(app, held, gzipSync('<testsuites/>'), junit), 201);
  return held;
}

async function release({ project }: SeededProject, json: object = {}): Promise<void> {
  const body = { tag_name: 'v1', ref: 'main', ...json };
  expectStatus(await app.post(`/projects/${project.id}/releases`, { json: body }), 201);
  await app.drain();
}

/** Addresses of the evidences of the release. */
async function evidences({ project }: SeededProject): Promise<string[]> {
  const shown = expectStatus<ReleaseJson>(await app.get(`/projects/${project.id}/releases/v1`), 200);
  return shown.evidences!.map(({ filepath }) => filepath);
}

async function read(address: string | undefined, token = ROOT_TOKEN) {
  const response = await fetch(address!, { headers: token === '' ? {} : { 'private-token': token } });
  if (response.status !== 200) return response.status;
  const { release: releaseFacts } = (await response.json()) as { release: { report_artifacts?: { url: string }[] } };
  return releaseFacts.report_artifacts?.map((each) => each.url);
}

/** Advances the clock and runs all background work. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await app.deps.jobs.maintain();
  await app.drain();
}

const download = ({ job }: HeldJob, project: { full_path: string }) =>
  `${url}/${project.full_path}/-/jobs/${job.id}/artifacts/download`;

test('evidence tells where jobs with reports left their archives, which are kept from then on', async (t) => {
  const made = await seededProject(app, t);
  const { project } = made;
  const tested = await leave(made, {});
  const into = tested.pipeline;
  const others = [
    await leave(made, { report: false }, { name: 'archive only', into }),
    await leave(made, { archive: false }, { name: 'report only', into }),
    await leave(made, {}, { name: 'replaced', into, columns: { retried: 1 } }),
  ];
  const linted = await leave(made, {}, { name: 'lint', into });
  await endJob(app, tested);
  await release(made);
  const [evidence] = await evidences(made);
  const expectedUrls = [download(tested, project), download(linted, project)];
  assert.deepEqual(await read(evidence), expectedUrls);
  await pass(100 * DAY_MS);
  for (const address of expectedUrls) {
    assert.equal((await fetch(address, { headers: { 'private-token': ROOT_TOKEN } })).status, 200, address);
  }
  const left = await app.deps.db.selectFrom('ci_job_artifacts').select('job_id').orderBy('id').execute();
  for (const { job } of others) assert.ok(!left.some(({ job_id }) => job_id === job.id), job.name);
  for (const { job } of [tested, linted]) {
    assert.equal(left.filter(({ job_id }) => job_id === job.id).length, 2);
    const shown = expectStatus<{ artifacts_expire_at: string | null }>(
      await app.get(`/projects/${project.id}/jobs/${job.id}`),
      200,
    );
    assert.equal(shown.artifacts_expire_at, null);
  }
});

describe('the pipeline that it tells of', () => {
  test('is the last one of the commit, none of another commit and none below another', async (t) => {
    const made = await seededProject(app, t);
    await leave(made, {});
    const last = await leave(made, {});
    await leave(made, {}, { pipeline: { sha: made.side } });
    await leave(made, {}, { pipeline: { source: 'parent_pipeline', parent_id: last.pipeline.id } });
    await release(made);
    assert.deepEqual(await read((await evidences(made))[0]), [download(last, made.project)]);
  });

  test('was there before the tag: the one that the tag starts has left nothing yet', async (t) => {
    const made = await seededProject(app, t);
    const { project, git } = made;
    const config = 'test: {script: [x]}\n';
    const head = git.commit({ '.gitlab-ci.yml': config }, [made.head], 'CI\n');
    git.git(['update-ref', 'refs/heads/main', head]);
    const tested = await leave({ ...made, head }, {});
    await release(made);
    const last = await app.deps.db
      .selectFrom('pipelines')
      .select(['id', 'tag'])
      .where('project_id', '=', project.id)
      .orderBy('id', 'desc')
      .executeTakeFirst();
    assert.equal(last?.tag, 1);
    assert.deepEqual(await read((await evidences(made))[0]), [download(tested, project)]);
    expectStatus(await app.post(`/projects/${project.id}/releases/v1/evidence`), 200);
    assert.equal(await read((await evidences(made))[1]), undefined);
  });

  test('is looked for when an upcoming release comes; what has come to its end is left out', async (t) => {
    const made = await seededProject(app, t);
    const released_at = new Date(clock.now().getTime() + 10 * DAY_MS).toISOString();
    await release(made, { released_at });
    const gone = await leave(made, {});
    await pass(5 * DAY_MS);
    const unexpired = await leave(made, {}, { into: gone.pipeline });
    await app.deps.db
      .updateTable('ci_job_artifacts')
      .set({ expire_at: new Date(clock.now().getTime() + 9 * DAY_MS).toISOString() })
      .where('job_id', '=', unexpired.job.id)
      .execute();
    await pass(6 * DAY_MS);
    assert.deepEqual(await read((await evidences(made))[0]), [download(unexpired, made.project)]);
  });
});

test('evidence that tells of jobs is for those who may read jobs', async (t) => {
  const made = await seededProject(app, t, { visibility: 'public' });
  await leave(made, {});
  await release(made);
  const [evidence] = await evidences(made);
  assert.ok(Array.isArray(await read(evidence, '')));
  expectStatus(await app.put(`/projects/${made.project.id}`, { json: { public_jobs: false } }), 200);
  const { token } = await app.make.user();
  assert.equal(await read(evidence, ''), 404);
  assert.equal(await read(evidence, token), 404);
  const { reporter } = await app.make.members(made.project);
  assert.ok(Array.isArray(await read(evidence, reporter.token)));
});

test('reports are of the plan Ultimate', async (t) => {
  const made = await seededProject(app, t);
  const { job } = await leave(made, {});
  const { config } = app.deps;
  app.deps.config = { ...config, plan: 'premium' };
  t.after(() => {
    app.deps.config = config;
  });
  await release(made);
  assert.equal(await read((await evidences(made))[0]), undefined);
  const rows = await app.deps.db.selectFrom('ci_job_artifacts').selectAll().where('job_id', '=', job.id).execute();
  assert.ok(rows.every(({ expire_at }) => expire_at !== null));
});
