import { compositeState } from '../../ci/states.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Exporting, TreeRelation } from './relation.ts';
import { afterRow, Children, nameUsers } from './relations.children.ts';

/** Number of pipelines per page in memory. */
const BATCH_SIZE = 20;
/** List in a stage and type, by kind of job (registry facts 7.1). */
const KINDS: Readonly<Record<CiJob['kind'], { list: string; type: string }>> = {
  build: { list: 'builds', type: 'Ci::Build' },
  bridge: { list: 'bridges', type: 'Ci::Bridge' },
  status: { list: 'generic_commit_statuses', type: 'GenericCommitStatus' },
};

type Job = Awaited<ReturnType<typeof jobsBehind>>[number];

const jobsBehind = ({ db }: Exporting, ids: readonly number[], after: { parent: number; id: number }, limit: number) =>
  db
    .selectFrom('ci_jobs')
    .select(['id', 'pipeline_id as parent', 'kind', 'name', 'stage', 'stage_index', 'status', 'ref', 'tag', 'run_when'])
    .select(['allow_failure', 'retried', 'failure_reason', 'coverage', 'description', 'target_url', 'environment'])
    .select(['user_id', 'exit_code', 'created_at', 'updated_at', 'queued_at', 'started_at', 'finished_at'])
    .where('pipeline_id', 'in', ids)
    .where(afterRow('pipeline_id', after))
    .orderBy('pipeline_id')
    .orderBy('id')
    .limit(limit)
    .execute();

function jobObject(job: Job): object {
  const { id, parent: _parent, kind, stage_index, allow_failure, retried, tag, run_when, ...rest } = job;
  return {
    ...{ ...rest, id, stage_idx: stage_index, when: run_when, type: KINDS[kind].type },
    ...{ tag: tag === 1, allow_failure: allow_failure === 1, retried: retried === 1 },
  };
}

/** The stages of a pipeline with its jobs, in order. */
function stagesOf(jobs: readonly Job[]): object[] {
  const stages = new Map<string, Job[]>();
  for (const job of jobs) stages.set(job.stage, [...(stages.get(job.stage) ?? []), job]);
  const sorted = [...stages].sort(([, [a]], [, [b]]) => a!.stage_index - b!.stage_index);
  return sorted.map(([name, of]) => ({
    name,
    position: of[0]!.stage_index,
    status: compositeState(
      of
        .filter(({ retried }) => retried === 0)
        .map(({ status, allow_failure }) => ({ status, allowFailure: allow_failure === 1 })),
    ),
    ...Object.fromEntries(
      Object.entries(KINDS).map(([kind, { list }]) => [list, of.filter((job) => job.kind === kind).map(jobObject)]),
    ),
  }));
}

const pageOf = ({ db, portable }: Exporting, after: number) =>
  db
    .selectFrom('pipelines')
    .leftJoin('merge_requests', 'merge_requests.id', 'merge_request_id')
    .select(['pipelines.id', 'pipelines.iid', 'pipelines.sha', 'before_sha', 'source_sha', 'target_sha', 'ref', 'tag'])
    .select(['source', 'status', 'name', 'user_id', 'failure_reason', 'yaml_errors', 'duration', 'protected'])
    .select(['started_at', 'finished_at', 'pipelines.created_at', 'pipelines.updated_at'])
    .select('merge_requests.iid as merge_request_iid')
    .where('pipelines.project_id', '=', portable.id)
    .where('pipelines.iid', '>', after)
    .orderBy('pipelines.iid')
    .limit(BATCH_SIZE)
    .execute();

/** Pipelines with their stages and jobs, without logs, artifacts and variables. */
export const pipelines: TreeRelation = {
  form: 'objects',
  name: 'ci_pipelines',
  single: false,
  async *pieces(exporting, after) {
    for (;;) {
      const page = await pageOf(exporting, after);
      const rows = page.toSorted((a, b) => a.id - b.id);
      const ids = rows.map(({ id }) => id);
      const children = new Children((last, limit) => jobsBehind(exporting, ids, last, limit));
      after = page.at(-1)?.iid ?? after;
      for (const { merge_request_iid, tag, protected: isProtected, ...row } of rows) {
        nameUsers(exporting, row, ['user_id']);
        const jobs: Job[] = [];
        for await (const job of children.of(row.id)) {
          nameUsers(exporting, job, ['user_id']);
          jobs.push(job);
        }
        const object = {
          ...row,
          ...{ tag: tag === 1, protected: isProtected === 1 },
          merge_request: merge_request_iid === null ? null : { iid: merge_request_iid },
          stages: stagesOf(jobs),
        };
        yield `${JSON.stringify(object)}\n`;
        yield after;
      }
      if (page.length < BATCH_SIZE) return;
    }
  },
};
