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

/** How tokens of jobs begin. */
export const JOB_TOKEN_PREFIX = 'glcbt-';

/** A token outlasts the time that its job may take by so much. */
const LEEWAY_MS = 300_000;
const MIN_TIMEOUT_MS = 60_000;
/** For a job without a time limit of its own: what projects give. */
const DEFAULT_TIMEOUT = 3_600;

/** When the token of a job ends, in milliseconds; never for one that has not begun. */
export function tokenEndsAt({ started_at, timeout }: Pick<CiJob, 'started_at' | 'timeout'>): number {
  if (started_at === null) return Number.POSITIVE_INFINITY;
  return Date.parse(started_at) + Math.max(MIN_TIMEOUT_MS, (timeout ?? DEFAULT_TIMEOUT) * 1_000) + LEEWAY_MS;
}

/**
 * Who the token of a job stands for: the user whom the job runs for, while it runs.
 * @returns undefined for what is no such token
 * @throws ApiError 401 for the token of a job that is over, 403 for a user who may not sign in
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

/** Jobs whose tokens are good while their time lasts. */
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

/** Whether the token of a job is still good, for what is done after a wait. */
export async function isJobRunning(deps: Deps, jobId: number): Promise<boolean> {
  const job = await runningJobs(deps.db).where('ci_jobs.id', '=', jobId).executeTakeFirst();
  return job !== undefined && !isTokenOver(deps, job);
}

/** Whether only jobs of listed projects come in: as the project says, or everywhere where administrators enforce it. */
export const limitsJobTokens = ({ settings }: Pick<Deps, 'settings'>, project: Pick<Project, 'settings'>): boolean =>
  settings.now.enforce_ci_inbound_job_token_scope_enabled ||
  parseJson<{ ci_inbound_job_token_scope_enabled?: boolean }>(project.settings).ci_inbound_job_token_scope_enabled !==
    false;

/**
 * Who a caller is in a project. A project lets in the jobs of another one with the rights of their users if that one, or
 * a group above it, is on its list, or if it keeps no list: all others are strangers there.
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
