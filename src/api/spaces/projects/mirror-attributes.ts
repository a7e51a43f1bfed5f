import { requirePlan } from '../../../access/access.plan.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { jobCaller } from '../../../access/job-caller.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { recordProjectChanges } from '../../../audit/projects.audit.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { requireMirrorsAvailable } from '../../../mirroring/available.ts';
import {
  insertPullMirror,
  type PullMirrorChange,
  type PullMirrorInput,
  pullMirrorChange,
  savePullMirror,
} from '../../../mirroring/pull/configure.ts';
import { DEFAULT_MIRROR_SETTINGS, mirrorSettings } from '../../../mirroring/pull/pull-mirror.settings.ts';
import type { AttributeInput } from './projects.changes.ts';

const NAMES = [
  'mirror',
  'mirror_trigger_builds',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
  'mirror_branch_regex',
] as const;

/**
 * Returns the changes of a pull mirror in the attributes of a project (part 1, section 4.12, the deprecated way).
 * @param db handle of the transaction that changes the project, if any
 * @param project its row in that transaction; absent for a new project
 * @param mirrorUserId user for updates, if requested; otherwise the caller
 * @returns null if there are none
 * @throws ApiError 400 with errors by field, 403 if the plan has no pull mirrors
 */
export async function mirrorChange(
  deps: Deps,
  db: Db,
  project: Pick<Project, 'import_url' | 'settings'>,
  input: AttributeInput,
  caller: UserCaller,
  mirrorUserId: number | null = null,
): Promise<PullMirrorChange | null> {
  const named = NAMES.filter((name) => input[name] !== undefined);
  if (named.length === 0 && input.import_url === undefined && mirrorUserId === null) return null;
  if (named.length > 0 || mirrorUserId !== null) requireMirrorsAvailable(deps, caller);
  if (input.mirror === true) await requirePlan(deps, 'premium', db);
  const mirrorInput: PullMirrorInput = {
    ...Object.fromEntries(named.map((name) => [name, input[name]])),
    ...(input.import_url === undefined ? {} : { url: input.import_url }),
  };
  return pullMirrorChange(deps, project, mirrorInput, mirrorUserId ?? caller.user.id, 'import_url');
}

/**
 * Returns the requested user for updates: administrators may choose any user who can push, others only themselves.
 * @param db handle of the transaction that changes the project
 * @returns null if no user is requested, or the caller may not choose that user
 * @throws ApiError 400 for a user who cannot push
 */
export async function namedMirrorUser(
  deps: Deps,
  db: Db,
  project: Pick<Project, 'id'>,
  id: number | null | undefined,
  caller: UserCaller,
): Promise<number | null> {
  if (id === null || id === undefined || (id !== caller.user.id && !caller.admin)) return null;
  const inside = transactionDeps(deps, db);
  const user = await jobCaller(inside, id);
  const scope = user === undefined ? undefined : await callerInProject(inside, user, project.id);
  if (!scope?.permissions.can('push_code')) {
    throw invalidModel({ mirror_user_id: ['must be a user who can push to the project'] });
  }
  return id;
}

/** Applies changes of a mirror with the handle of the transaction that has changed the project's row. */
export async function applyMirrorChange(
  deps: Deps,
  db: Db,
  before: Pick<Project, 'settings'>,
  now: Pick<Project, 'id' | 'settings'>,
  change: PullMirrorChange | null,
): Promise<void> {
  const concerned = mirrorSettings(before).mirror || mirrorSettings(now).mirror;
  if (change !== null && concerned) await savePullMirror(deps, db, now, change);
}

/** Inserts the mirror of a new project, whose repository is filled first. */
export async function insertNewMirror(deps: Deps, db: Db, project: Project): Promise<void> {
  const settings = mirrorSettings(project);
  if (!settings.mirror) return;
  await insertPullMirror(deps, db, project.id, true);
  const { id, import_url } = project;
  await recordProjectChanges(
    deps,
    db,
    { id, import_url: null, ...DEFAULT_MIRROR_SETTINGS },
    { id, import_url, ...settings },
  );
}
