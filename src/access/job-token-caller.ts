import { unauthorized } from '../core/core.errors.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { CiJob } from '../db/tables/ci-jobs.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { lineageIds } from './access.membership.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { checkUserState } from './token-caller.ts';

/** Prefix of job tokens. */
export const JOB_TOKEN_PREFIX = 'glcbt-';

/** A job token outlasts the timeout of its job by this time. */
const LEEWAY_MS = 300_000;
const MIN_TIMEOUT_MS = 60_000;
/** Timeout of jobs without one: the default of projects. */
const DEFAULT_TIMEOUT = 3_600;

/** Expiry of a job token in milliseconds; never for a job that has not started. */
export function tokenEndsAt({ started_at, timeout }: Pick<CiJob, 'started_at' | 'timeout'>): number {
  if (started_at === null) return Number.POSITIVE_INFINITY;
  return Date.parse(started_at) + Math.max(MIN_TIMEOUT_MS, (timeout ?? DEFAULT_TIMEOUT) * 1_000) + LEEWAY_MS;
}

/**
 * Authenticates the token of a running job; the caller is the job's user.
 * @returns undefined if it is no job token
 * @throws ApiError 401 if the job has finished, 403 for a user who may not sign in
 */
export async function callerOfJobToken(deps: Deps, secret: string): Promise<Caller | undefined> {
  if (!secret.startsWith(JOB_TOKEN_PREFIX)) return undefined;
  const { db } = deps;
  const job = await runningJobs(db).where('token_digest', '=', tokenDigest(secret)).executeTakeFirst();
  if (job === undefined || isTokenOver(deps, job)) throw unauthorized('Job is not running');
  const user = await db.selectFrom('users').selectAll().where('id', '=', job.user_id).executeTakeFirstOrThrow();
  checkUserState(user);
  const credential = { kind: 'job_token', jobId: job.id, projectId: job.project_id } as const;
  return { user, admin: user.admin === 1, scopes: null, credential, sudoBy: null };
}

/** Query for jobs whose tokens are valid until they expire. */
const runningJobs = (db: Db) =>
  db
    .selectFrom('ci_jobs')
    .innerJoin('projects', 'projects.id', 'ci_jobs.project_id')
    .select(['ci_jobs.id', 'ci_jobs.project_id', 'ci_jobs.user_id', 'ci_jobs.started_at', 'ci_jobs.timeout'])
    .where('ci_jobs.status', 'in', ['running', 'canceling'])
    .where('erased_at', 'is', null)
    .where('projects.pending_delete', '=', 0);

const isTokenOver = ({ clock }: Deps, job: Pick<CiJob, 'started_at' | 'timeout'>): boolean =>
  clock.now().getTime() >= tokenEndsAt(job);

/** Whether the token of a job is still valid, for checks after a wait. */
export async function isJobRunning(deps: Deps, jobId: number): Promise<boolean> {
  const job = await runningJobs(deps.db).where('ci_jobs.id', '=', jobId).executeTakeFirst();
  return job !== undefined && !isTokenOver(deps, job);
}

/**
 * Whether a project only admits job tokens of listed projects, by its own setting or because administrators enforce it.
 */
export const limitsJobTokens = ({ settings }: Pick<Deps, 'settings'>, project: Pick<Project, 'settings'>): boolean =>
  settings.now.enforce_ci_inbound_job_token_scope_enabled ||
  parseJson<{ ci_inbound_job_token_scope_enabled?: boolean }>(project.settings).ci_inbound_job_token_scope_enabled !==
    false;

/**
 * Limits a job token in a project. The job of another project has its user's rights if that project, or a group above
 * it, is on the allowlist, or if the allowlist is disabled; all other jobs are strangers.
 */
export async function callerIn<C extends Caller>(
  deps: Deps,
  caller: C,
  project: Pick<Project, 'id' | 'settings'>,
): Promise<C | Caller> {
  const { credential } = caller;
  if (credential.kind !== 'job_token' || credential.projectId === project.id) return caller;
  if (!limitsJobTokens(deps, project)) return caller;
  const listed = await deps.snapshot.get(`job_token_links:${project.id}:${credential.projectId}`, () =>
    isListed(deps, project.id, credential.projectId),
  );
  return listed ? caller : ANONYMOUS;
}

async function isListed({ db }: Deps, projectId: number, jobsOf: number): Promise<boolean> {
  const caller = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('namespaces.lineage')
    .where('projects.id', '=', jobsOf)
    .executeTakeFirst();
  if (caller === undefined) return false;
  const groups = lineageIds(caller.lineage);
  const link = await db
    .selectFrom('ci_job_token_links')
    .select('id')
    .where('source_project_id', '=', projectId)
    .where((eb) =>
      eb.or([
        eb('target_project_id', '=', jobsOf),
        ...(groups.length === 0 ? [] : [eb('target_group_id', 'in', groups)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return link !== undefined;
}
