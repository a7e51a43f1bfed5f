import type { UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel, notFound, refused } from '../../../core/core.errors.ts';
import { commitStatusFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { refsContaining } from '../../../git/history/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { processPipeline } from '../../../pipelines/states/pipeline-states.process.ts';
import { canRunOn } from '../../../repositories/repository.protections.ts';
import * as store from './commit-statuses.queries.ts';
import { checkMove, FINAL_STATES, type ReportedState, type State } from './commit-statuses.state.ts';

export interface StatusReport {
  sha: string;
  state: ReportedState;
  ref?: string | undefined;
  name: string;
  /** Null clears it; undefined keeps the value of an earlier report. */
  targetUrl?: string | null | undefined;
  description?: string | null | undefined;
  coverage?: number | null | undefined;
  pipelineId?: number | undefined;
}

interface Reporting {
  project: Project;
  repo: Repository;
  permissions: ProjectPermissions;
  caller: UserCaller;
  report: StatusReport;
}

/** Maximum number of statuses per pipeline; then a new pipeline is created. */
const MAX_STATUSES = 10_000;
const MAX_TEXT = 255;
const MAX_DESCRIPTION = 10_000;

/**
 * Sets the status of a commit: updates the status of that name, or creates it, in a pipeline with the source
 * `external`, and recalculates the status of the pipeline.
 * @throws ApiError 400, 403 for a protected branch that the caller may neither push to nor merge into, 404, 422
 */
export async function reportStatus(deps: Deps, reporting: Reporting): Promise<CiJob> {
  const { project, caller, report } = reporting;
  checkTexts(report);
  const ref = await findRef(deps, reporting);
  await requireRef(deps, reporting, ref);
  return deps.db.transaction().execute(async (db) => {
    // Concurrent reports must agree on the pipeline, its number and the status to update.
    await lockRow(db, 'projects', project.id);
    const pipeline = await findPipeline(deps, db, reporting, ref);
    const saved = await moveStatus(deps, db, reporting, pipeline);
    await store.replaceOlder(db, saved);
    await processPipeline(deps, db, pipeline.id);
    const payload = { status_id: saved.id, project_id: project.id, commit_status: commitStatusFacts(saved) };
    await deps.events.record(db, 'commit_status.updated', payload, { projectId: project.id, actorId: caller.user.id });
    return saved;
  });
}

function checkTexts({ name, ref, targetUrl, description }: StatusReport): void {
  const errors: FieldErrors = {};
  const limit = (field: string, text: string | null | undefined, maximum: number) => {
    if (text && text.length > maximum) errors[field] = [`is too long (maximum is ${maximum} characters)`];
  };
  limit('name', name, MAX_TEXT);
  limit('ref', ref, MAX_TEXT);
  limit('target_url', targetUrl, MAX_TEXT);
  limit('description', description, MAX_DESCRIPTION);
  if (targetUrl && errors.target_url === undefined && !/^https?:$/.test(URL.parse(targetUrl)?.protocol ?? '')) {
    errors.target_url = ['is blocked: Only allowed schemes are http, https'];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/**
 * Returns the ref of a report: the given one, else that of the latest pipeline, else the first branch that contains the
 * commit.
 */
async function findRef(deps: Deps, { project, repo, report }: Reporting): Promise<string> {
  const { sha, ref, pipelineId } = report;
  if (ref !== undefined) return ref;
  const pipeline = await store.newestPipeline(deps.db, project.id, sha, { id: pipelineId });
  if (pipeline !== undefined) return pipeline.ref;
  const [branch] = await refsContaining(repo, sha, ['refs/heads/']);
  if (branch === undefined) throw notFound('References for commit');
  return branch.slice('refs/heads/'.length).toWellFormed();
}

/** Reports for a protected ref take the right to change it. @throws ApiError 403 */
async function requireRef(deps: Deps, { project, repo, caller, permissions }: Reporting, ref: string): Promise<void> {
  const tag =
    (await repo.refs.resolve(`refs/heads/${ref}`)) === null && (await repo.refs.resolve(`refs/tags/${ref}`)) !== null;
  if (!(await canRunOn(deps, { caller, permissions }, project.id, { ref, tag }))) throw forbidden();
}

async function findPipeline(
  deps: Deps,
  db: Db,
  { project, caller, report }: Reporting,
  ref: string,
): Promise<Pipeline> {
  const { sha, pipelineId } = report;
  const pipeline = await store.newestPipeline(db, project.id, sha, { ref, id: pipelineId });
  if (pipeline === undefined && pipelineId !== undefined) throw notFound('Pipeline for pipeline_id, sha and ref');
  const full = pipeline !== undefined && (await store.countStatuses(db, pipeline.id)) >= MAX_STATUSES;
  if (full && pipelineId !== undefined) throw refused('The number of jobs has exceeded the limit', 422);
  if (pipeline !== undefined && !full) return pipeline;
  const made = await store.insertPipeline(db, {
    project_id: project.id,
    sha,
    ref,
    user_id: caller.user.id,
    created_at: timestamp(deps.clock),
  });
  const { id: pipeline_id, source, status } = made;
  const payload = { pipeline_id, project_id: project.id, source, status, old_status: null };
  await deps.events.record(db, 'pipeline.updated', payload, { projectId: project.id, actorId: caller.user.id });
  return made;
}

async function moveStatus(deps: Deps, db: Db, { caller, report }: Reporting, pipeline: Pipeline): Promise<CiJob> {
  const { name, state } = report;
  const user_id = caller.user.id;
  const before = await store.openStatus(db, { pipeline_id: pipeline.id, name, user_id });
  checkMove((before?.status as State | undefined) ?? 'created', state);
  const now = timestamp(deps.clock);
  const valueOr = <T>(value: T | undefined, earlier: T | null | undefined) =>
    value === undefined ? (earlier ?? null) : value;
  return store.saveStatus(db, before?.id, {
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    sha: pipeline.sha,
    ref: pipeline.ref,
    name,
    user_id,
    status: state,
    target_url: valueOr(report.targetUrl, before?.target_url),
    description: valueOr(report.description, before?.description),
    coverage: valueOr(report.coverage, before?.coverage),
    created_at: before?.created_at ?? now,
    updated_at: now,
    started_at: before?.started_at ?? (state === 'running' ? now : null),
    finished_at: FINAL_STATES.includes(state) ? now : null,
  });
}
