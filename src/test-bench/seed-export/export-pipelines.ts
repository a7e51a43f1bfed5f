import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { MAX_SEED_BYTES } from '../seed/seed-document.ts';
import { PIPELINE_SOURCES } from '../seed/seed-project.schema.ts';
import {
  type Answer,
  compact,
  type ExportSource,
  flags,
  inTurn,
  listAll,
  listById,
  pick,
  textOrBase64,
  usernameOf,
} from './export-source.ts';

/** Jobs in states that a seed can bring about. */
const JOB_STATES = ['created', 'pending', 'running', 'success', 'failed', 'canceled', 'skipped', 'manual'];

/** The pipelines of a project with their jobs; without those of whose jobs none can be in a seed. @param path of it */
export async function pipelinesOf(source: ExportSource, path: string): Promise<Answer[]> {
  const environments = await environmentsOfJobs(source, path);
  const exported: Answer[] = [];
  for (const { id } of await listAll(source, `${path}/pipelines?order_by=id&sort=asc`)) {
    const pipeline = (await source.get(`${path}/pipelines/${String(id)}`)) as Answer;
    const jobs = (await listById(source, `${path}/pipelines/${String(id)}/jobs`)).filter(({ status }) =>
      JOB_STATES.includes(String(status)),
    );
    if (jobs.length === 0) continue;
    const variables = await listAll(source, `${path}/pipelines/${String(id)}/variables`);
    exported.push(
      compact({
        ...pick(pipeline, ['ref', 'name', 'created_at']),
        source: PIPELINE_SOURCES.find((each) => each === pipeline.source),
        user: usernameOf(pipeline.user),
        variables: variables.map((variable) => pick(variable, ['key', 'value'])),
        jobs: await inTurn(jobs, (job) => jobOf(source, path, job, environments.get(Number(job.id)))),
      }),
    );
  }
  return exported;
}

/** Names of the environments that jobs deploy to. */
async function environmentsOfJobs(source: ExportSource, path: string): Promise<Map<number, unknown>> {
  const deployments = await listAll(source, `${path}/deployments`);
  return new Map(
    deployments.flatMap(({ deployable, environment }) => {
      const { id } = (deployable ?? {}) as Answer;
      return typeof id === 'number' ? [[id, (environment as Answer | null)?.name] as const] : [];
    }),
  );
}

async function jobOf(source: ExportSource, path: string, job: Answer, environment: unknown): Promise<Answer> {
  const address = `${path}/jobs/${String(job.id)}`;
  const log = await source.bytes(`${address}/trace`);
  return compact({
    ...pick(job, ['name', 'stage', 'status', 'tag_list', 'coverage', 'started_at', 'finished_at']),
    failure_reason: job.status === 'failed' ? job.failure_reason : undefined,
    ...(job.status === 'manual' ? { allow_failure: job.allow_failure } : flags(job, ['allow_failure'])),
    environment,
    log: log?.toString('utf8'),
    artifacts: job.artifacts_file === undefined ? undefined : await artifactsOf(source, address),
  });
}

/** The files of a job's archive; undefined if it has none any more, or they are more than a seed may have. */
async function artifactsOf(source: ExportSource, address: string): Promise<Answer | undefined> {
  const bytes = await source.bytes(`${address}/artifacts`);
  if (bytes === null) return undefined;
  const zip = await fromBufferPromise(bytes);
  const files: Answer = {};
  let size = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName: name, uncompressedSize } = entry;
    size += uncompressedSize;
    if (size > MAX_SEED_BYTES) return undefined;
    if (!name.endsWith('/')) files[name] = textOrBase64(await buffer(await zip.openReadStreamPromise(entry)));
  }
  return files;
}
