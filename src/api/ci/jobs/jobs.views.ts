import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { COMPLETE, isOneOf } from '../../../ci/states.ts';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { CiJobArtifact } from '../../../db/tables/ci-job-artifacts.table.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { type Commit, presentCommit, presentPipelineBasic, projectUrl } from '../../code/index.ts';
import { presentUserInfo, usersById } from '../../identity/index.ts';
import { settingsOf } from '../../spaces/index.ts';
import { runnersOfJobs } from '../runners/of-jobs.ts';
import type { Bridge, Job } from './jobs.responses.ts';
import { artifactsOf, downstreamOf, pipelinesOf, projectsOf } from './jobs.view-rows.ts';

type CommitJson = Static<typeof Commit>;

/** Seconds between two instants, with milliseconds. */
const seconds = (from: string, to: number): number => Math.max(0, to - Date.parse(from)) / 1_000;

interface Facts {
  projects: ReadonlyMap<number, Project>;
  pipelines: ReadonlyMap<number, Pipeline>;
  users: ReadonlyMap<number, User>;
  commits: ReadonlyMap<string, CommitJson | null>;
}

async function factsOf(deps: Deps, rows: readonly CiJob[], project: Project | undefined): Promise<Facts> {
  const projects = project === undefined ? await projectsOf(deps.db, rows) : new Map([[project.id, project]]);
  return {
    projects,
    pipelines: await pipelinesOf(deps.db, rows),
    users: await usersById(deps.db, pluck(rows, 'user_id')),
    commits: await commitsOf(deps, rows, projects),
  };
}

const commitKey = ({ project_id, sha }: CiJob) => `${project_id} ${sha}`;

/** Loads the commits of jobs, each once; null for missing commits. */
async function commitsOf(deps: Deps, rows: readonly CiJob[], projects: ReadonlyMap<number, Project>) {
  const commits = new Map<string, CommitJson | null>();
  for (const row of rows) {
    const key = commitKey(row);
    const project = projects.get(row.project_id);
    if (commits.has(key) || project === undefined) continue;
    const commit = await repositoryOf(deps, project).objects.commit(row.sha);
    commits.set(key, commit && presentCommit(commit, projectUrl(deps, project), true));
  }
  return commits;
}

function presentCommon(deps: Deps, row: CiJob, facts: Facts) {
  const project = facts.projects.get(row.project_id)!;
  const user = facts.users.get(row.user_id);
  const webUrl = projectUrl(deps, project);
  const end = row.finished_at === null ? deps.clock.now().getTime() : Date.parse(row.finished_at);
  const begin = row.started_at === null ? end : Date.parse(row.started_at);
  // A job skipped while waiting has no end to compute with.
  const isOpenEnded = isOneOf(COMPLETE, row.status) && row.started_at === null && row.finished_at === null;
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    name: row.name,
    ref: row.ref,
    tag: row.tag === 1,
    coverage: row.coverage,
    allow_failure: row.allow_failure === 1,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    erased_at: row.erased_at,
    duration: row.started_at === null ? null : seconds(row.started_at, end),
    queued_duration: row.queued_at === null || isOpenEnded ? null : seconds(row.queued_at, begin),
    user: user === undefined ? null : presentUserInfo(deps, user),
    commit: facts.commits.get(commitKey(row)) ?? null,
    pipeline: presentPipelineBasic(facts.pipelines.get(row.pipeline_id)!, webUrl),
    failure_reason: row.status === 'failed' ? (row.failure_reason ?? ('unknown_failure' as const)) : null,
    web_url: `${webUrl}/-/jobs/${row.id}`,
    project: { ci_job_token_scope_enabled: settingsOf(project).ci_job_token_scope_enabled },
    archived: false,
  };
}

const presentArtifact = ({ file_type, size, filename, file_format }: CiJobArtifact) => ({
  file_type,
  size,
  filename,
  // Logs have no file format.
  file_format: file_type === 'trace' ? null : file_format,
});

/**
 * Renders jobs (part 1, section 2) with a fixed number of queries. Leaves out jobs whose project or pipeline was
 * deleted meanwhile.
 * @param project the project of all jobs, if known
 */
export async function presentJobs(
  deps: Deps,
  rows: readonly CiJob[],
  project?: Project,
): Promise<Static<typeof Job>[]> {
  if (rows.length === 0) return [];
  const facts = await factsOf(deps, rows, project);
  const artifacts = await artifactsOf(deps.db, rows);
  const runners = await runnersOfJobs(deps, rows);
  return present(rows, facts).map((row) => {
    const files = artifacts.get(row.id) ?? [];
    const archive = files.find(({ file_type }) => file_type === 'archive');
    return {
      ...presentCommon(deps, row, facts),
      download_url: null,
      ...(archive === undefined ? {} : { artifacts_file: { filename: archive.filename, size: archive.size } }),
      artifacts: files.map(presentArtifact),
      runner: runners.runners.get(row.runner_id ?? 0) ?? null,
      runner_manager: runners.managers.get(row.runner_manager_id ?? 0) ?? null,
      artifacts_expire_at: row.artifacts_expire_at,
      tag_list: parseJson<string[]>(row.tag_list),
    };
  });
}

const present = (rows: readonly CiJob[], { projects, pipelines }: Facts) =>
  rows.filter(({ project_id, pipeline_id }) => projects.has(project_id) && pipelines.has(pipeline_id));

/** Renders bridges. Leaves out downstream pipelines that the caller may not see. */
export async function presentBridges(
  deps: Deps,
  caller: Caller,
  rows: readonly CiJob[],
  project: Project,
): Promise<Static<typeof Bridge>[]> {
  if (rows.length === 0) return [];
  const facts = await factsOf(deps, rows, project);
  const downstream = await downstreamOf(deps.db, rows);
  const urls = new Map<number, string | null>([[project.id, projectUrl(deps, project)]]);
  for (const { project_id } of downstream.values()) {
    if (!urls.has(project_id)) urls.set(project_id, await readableUrl(deps, caller, project_id));
  }
  return present(rows, facts).map((row) => {
    const pipeline = downstream.get(row.id);
    const url = pipeline === undefined ? null : (urls.get(pipeline.project_id) ?? null);
    return {
      ...presentCommon(deps, row, facts),
      downstream_pipeline: pipeline === undefined || url === null ? null : presentPipelineBasic(pipeline, url),
    };
  });
}

/** Returns the URL of a project if the caller may see its pipelines, else null. */
async function readableUrl(deps: Deps, caller: Caller, projectId: number): Promise<string | null> {
  const project = await findProject(deps, String(projectId));
  if (project === undefined) return null;
  const permissions = await projectPermissions(deps, caller, project.project, project.namespace);
  return permissions.can('read_pipeline') ? projectUrl(deps, project.project) : null;
}
