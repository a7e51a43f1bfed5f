import type { Db } from '../../../src/db/db.schema.ts';
import { type Amounts, at, insert, type Row, rowsOf, USERS } from './rows.ts';

const JOBS_OF_ONE = 10;
const BRANCHES = 50;
const RUNNERS = 100;

const shaOf = (n: number) => n.toString(16).padStart(40, '0');
/** The last ones are at work; of the others most succeeded. */
const stateOf = (n: number, amount: number) =>
  n >= amount - 5 ? 'running' : n % 4 === 3 ? 'failed' : n % 29 === 7 ? 'canceled' : 'success';
/** One of them made every second pipeline. */
const userOf = (n: number) => 1_000 + (n % 2 === 0 ? 10 : n % USERS);

/** The first one has the merge request pipelines of the first hundred, a page of them. */
const mergeRequestOf = (n: number) => (n < 100 ? 1 : 2 + (n % 200));

/**
 * Pipelines of the big project with ten jobs each: of its branches and of merge requests, and children of others. A
 * hundred of them hold a page of every kind.
 */
export async function pipelines(db: Db, { jobs: amount }: Amounts, project: number): Promise<void> {
  const pipelineCount = Math.ceil(amount / JOBS_OF_ONE);
  await insert(
    db,
    'pipelines',
    rowsOf(pipelineCount, (n) => {
      const kind = n % 4 === 1 ? 'child' : n % 4 === 2 ? 'merge_request' : 'branch';
      return {
        id: 1 + n,
        iid: 1 + n,
        project_id: project,
        sha: shaOf(n),
        ref:
          kind === 'merge_request'
            ? `refs/merge-requests/${mergeRequestOf(n)}/head`
            : n % 3 === 0
              ? 'main'
              : `feature-${n % BRANCHES}`,
        source: kind === 'child' ? 'parent_pipeline' : kind === 'merge_request' ? 'merge_request_event' : 'push',
        status: stateOf(n, pipelineCount),
        user_id: userOf(n),
        merge_request_id: kind === 'merge_request' ? mergeRequestOf(n) : null,
        parent_id: kind === 'child' ? n : null,
        name: n % 4 === 0 ? 'Nightly' : null,
        yaml_errors: n % 4 === 3 ? 'jobs:test config should contain either a trigger or a script' : null,
        created_at: at(n),
        updated_at: at(n + 1),
        started_at: at(n),
        finished_at: n >= pipelineCount - 5 ? null : at(n + 1),
      };
    }),
  );
  await runners(db, project);
  await insert(
    db,
    'ci_jobs',
    rowsOf(amount, (n) => jobRow(n, amount, project)),
  );
  await insert(
    db,
    'ci_job_artifacts',
    rowsOf(amount, (n) =>
      n % 5 > 0
        ? null
        : {
            ...{ job_id: 1 + n, project_id: project, file_type: 'archive', file_format: 'zip' },
            ...{ filename: 'artifacts.zip', size: 1_000 + n, sha256: shaOf(n), accessibility: 'all' },
            created_at: at(n),
          },
    ),
  );
}

/** Runners of the server and of the project in turn, each with two machines. */
async function runners(db: Db, project: number): Promise<void> {
  const isOfProject = (n: number) => n % 2 === 1;
  await insert(
    db,
    'ci_runners',
    rowsOf(RUNNERS, (n) => ({
      id: 1 + n,
      runner_type: isOfProject(n) ? 'project_type' : 'instance_type',
      digest: `digest of ${n}`,
      short_token: 'short',
      registration: 'user',
      access_level: 'not_protected',
      tag_list: n % 3 === 0 ? '["a"]' : '[]',
      requested: 1,
      contacted_at: at(n),
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'ci_runner_projects',
    rowsOf(RUNNERS, (n) => (isOfProject(n) ? { runner_id: 1 + n, project_id: project, created_at: at(n) } : null)),
  );
  await insert(
    db,
    'ci_runner_managers',
    rowsOf(RUNNERS * 2, (n) => ({
      runner_id: 1 + (n % RUNNERS),
      system_id: `s_${n}`,
      contacted_at: at(n),
      created_at: at(n),
    })),
  );
}

function jobRow(n: number, amount: number, project: number): Row {
  const pipeline = Math.floor(n / JOBS_OF_ONE);
  const status = stateOf(n, amount);
  return {
    id: 1 + n,
    kind: n % JOBS_OF_ONE === 9 ? 'bridge' : 'build',
    project_id: project,
    pipeline_id: 1 + pipeline,
    sha: shaOf(pipeline),
    ref: pipeline % 3 === 0 ? 'main' : `feature-${pipeline % BRANCHES}`,
    name: `job ${n % JOBS_OF_ONE}`,
    // The first of them does every second job.
    runner_id: n % JOBS_OF_ONE === 9 ? null : n % 4 > 1 ? 1 : 1 + (n % RUNNERS),
    stage: n % 2 === 0 ? 'build' : 'test',
    stage_index: 1 + (n % 2),
    status,
    retried: n % 23 === 11 ? 1 : 0,
    user_id: userOf(pipeline),
    created_at: at(pipeline),
    updated_at: at(pipeline),
    queued_at: at(pipeline),
    started_at: at(pipeline),
    finished_at: status === 'running' ? null : at(pipeline + 1),
    tag_list: '["docker"]',
  };
}
