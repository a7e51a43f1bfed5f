import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { FAILURE_REASONS, type FailureReason } from '../../ci/failure-reasons.ts';
import { bit } from '../../db/columns.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { HEADS, TAGS } from '../../git/refs/index.ts';
import { maxArtifactBytes } from '../../pipelines/artifacts/pipeline-artifacts.limits.ts';
import { insertArtifact, storeArtifactBytes } from '../../pipelines/artifacts/pipeline-artifacts.store.ts';
import { savePipeline } from '../../pipelines/creation/pipeline-creation.save.ts';
import { finishJob } from '../../pipelines/states/finish-job.ts';
import { lockJob } from '../../pipelines/states/lock-job.ts';
import { setPipelineStatus } from '../../pipelines/states/pipeline-status.ts';
import { moveJob } from '../../pipelines/states/transitions.ts';
import { appendTrace } from '../../pipelines/trace/append.ts';
import { secretBytes } from '../../pipelines/trace/trace.mask.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { loadProtections, protectionsOf } from '../../repositories/repository.protections.ts';
import type { Owner } from './seed-collections.apply.ts';
import { contentOf } from './seed-content.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { pipelineSeedOf } from './seed-pipeline-jobs.ts';

const JOB_TIMEOUT = 3_600;
/** States in which a job has begun. */
const BEGUN = ['running', 'success', 'failed'];
/** States of jobs that are not over. */
const GOING_ON = ['created', 'pending', 'running', 'manual'];

/** Makes the pipelines of a project; those that are there are the first of the file. */
export async function applyPipelines(
  context: SeedContext,
  list: unknown,
  project: Project,
  { fresh }: Owner,
): Promise<void> {
  if (list === undefined) return;
  const { n } = fresh
    ? { n: 0 }
    : await context.deps.db
        .selectFrom('pipelines')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('project_id', '=', project.id)
        .executeTakeFirstOrThrow();
  await context.each(list, async (item, at) => {
    if (at >= Number(n)) await makePipeline(context, item, project);
  });
}

async function makePipeline(context: SeedContext, item: Item, project: Project): Promise<void> {
  const { deps, clock } = context;
  const jobs = jobsOf(item);
  // What waits or runs for too long is ended by the server.
  const goesOn = jobs.some(({ status }) => GOING_ON.includes(String(status)));
  if (goesOn) clock.atPresent(item.created_at);
  else clock.at(item.created_at);
  const { ref, sha, isTag } = await commitOf(context, item, project);
  const protections = protectionsOf(await loadProtections(deps, project.id), isTag ? 'tag' : 'branch', ref);
  const pipeline = await savePipeline(
    deps,
    {
      project,
      userId: await context.userId((item.user as string | undefined) ?? 'root'),
      columns: {
        ref,
        sha,
        source: ((item.source as string | undefined) ?? 'push') as Pipeline['source'],
        tag: bit(isTag),
        protected: bit(protections.length > 0),
      },
      variables: ((item.variables ?? []) as Item[]).map(({ key, value }) => ({
        ...{ key: String(key), value: String(value), variable_type: 'env_var' as const },
      })),
    },
    pipelineSeedOf((item.name as string | undefined) ?? null, jobs),
  );
  context.count('pipelines');
  for (const job of jobs)
    await bringTo(context, pipeline, goesOn ? { started_at: pipeline.created_at, ...job } : job, project);
}

function jobsOf(item: Item): Item[] {
  const jobs = ((item.jobs ?? [{ name: 'test' }]) as (Item | string)[]).map((job) =>
    typeof job === 'string' ? { name: job } : job,
  );
  return jobs.map((job) => ({ status: item.status ?? 'success', stage: 'test', ...job }));
}

async function commitOf(
  { deps }: SeedContext,
  item: Item,
  project: Project,
): Promise<{ ref: string; sha: string; isTag: boolean }> {
  const { refs } = repositoryOf(deps, project);
  const ref = (item.ref as string | undefined) ?? (await refs.head()) ?? 'main';
  const branch = await refs.resolve(`${HEADS}${ref}`);
  const sha = branch ?? (await refs.resolve(`${TAGS}${ref}`));
  if (sha === null) throw new SeedMistake(`ref: there is no branch or tag ${ref}`);
  return { ref, sha, isTag: branch === null };
}

const digestOf = (job: CiJob): string => `seed-${job.id}`;

/** Lets a job get where the seed has it, in the steps that a runner would take. @throws SeedMistake if it cannot */
async function bringTo(context: SeedContext, pipeline: Pipeline, item: Item, project: Project): Promise<void> {
  const { deps, clock } = context;
  const wanted = String(item.status);
  const job = await deps.db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipeline.id)
    .where('name', '=', String(item.name))
    .executeTakeFirstOrThrow();
  clock.at(item.started_at);
  if (BEGUN.includes(wanted)) {
    const running = await start(context, job, item);
    await leave(context, running, item, project);
    if (wanted !== 'running') clock.at(item.finished_at ?? (item.started_at as string | undefined));
    if (wanted !== 'running') await finishJob(deps, job.id, endOf(wanted, item));
  } else if (wanted === 'canceled') {
    await context.api.send('POST', `/projects/${project.id}/jobs/${job.id}/cancel`);
  }
  context.count('jobs');
  const { status } = await deps.db
    .selectFrom('ci_jobs')
    .select('status')
    .where('id', '=', job.id)
    .executeTakeFirstOrThrow();
  const isWanted = status === wanted || (wanted === 'created' && status === 'pending');
  if (!isWanted)
    throw new SeedMistake(`job ${job.name} is ${status} after those before it: its status cannot be ${wanted}`);
}

function endOf(wanted: string, item: Item): { status: 'success' | 'failed'; failureReason?: FailureReason } {
  if (wanted === 'success') return { status: 'success' };
  const reason = (item.failure_reason ?? 'script_failure') as FailureReason;
  if (!FAILURE_REASONS.includes(reason))
    throw new SeedMistake(`failure_reason must be one of ${FAILURE_REASONS.join(', ')}`);
  return { status: 'failed', failureReason: reason };
}

async function start({ deps }: SeedContext, { id, name }: CiJob, { status }: Item): Promise<CiJob> {
  const started = await deps.db.transaction().execute(async (db) => {
    const locked = await lockJob(db, id);
    if (locked?.job.status !== 'pending') return locked?.job.status ?? 'gone';
    const values = { token_digest: digestOf(locked.job), timeout: JOB_TIMEOUT };
    const job = await moveJob(deps, db, 'run', locked.job, { values });
    if (job !== null) await setPipelineStatus(deps, db, locked.pipeline, 'running');
    return job ?? locked.job.status;
  });
  if (typeof started !== 'string') return started;
  throw new SeedMistake(`job ${name} is ${started} after those before it: its status cannot be ${String(status)}`);
}

/** Writes what a job leaves: log, files, coverage. */
async function leave({ deps }: SeedContext, job: CiJob, item: Item, project: Project): Promise<void> {
  if (typeof item.log === 'string' && item.log !== '') {
    const chunk = { start: 0, bytes: Buffer.from(item.log), debug: false };
    await appendTrace(deps, { id: job.id, token_digest: digestOf(job) }, chunk, secretBytes([]));
  }
  if (item.artifacts !== undefined) {
    const max = await maxArtifactBytes(deps, project.id);
    const blob = await storeArtifactBytes(deps, Readable.from([await archiveOf(item.artifacts as Item)]), max);
    const words = { type: 'archive', format: 'zip', expireIn: 'never', accessibility: undefined } as const;
    await insertArtifact(deps, job, blob, 'artifacts.zip', words, max);
  }
  if (typeof item.coverage === 'number')
    await deps.db.updateTable('ci_jobs').set({ coverage: item.coverage }).where('id', '=', job.id).execute();
}

/** A zip archive: always the same for the same files. */
async function archiveOf(files: Item): Promise<Buffer> {
  const zip = new ZipFile();
  const mtime = new Date('2000-01-01T00:00:00Z');
  for (const [path, value] of Object.entries(files)) zip.addBuffer(contentOf(value), path, { mtime });
  zip.end();
  return buffer(zip.outputStream);
}
