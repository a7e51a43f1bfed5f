import { project as onProject, recordAudit } from '../../../../audit/record.audit.ts';
import { timestamp } from '../../../../core/clock.ts';
import { conflict, invalidModel, recordNotFound, refused } from '../../../../core/core.errors.ts';
import { sealStored } from '../../../../core/stored-secret.ts';
import { isUniqueViolation } from '../../../../db/db.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { BlockedAddress, parseHttpUrl } from '../../../../outbound/outbound.resolve.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { isFor, MAX_CHECKS, type StoredCheck, withBranches } from '../mergeability/external-status-checks.checks.ts';
import { checkStatuses } from '../mergeability/external-status-checks.statuses.ts';
import type { StatusCheckInput } from './external-status-checks.inputs.ts';

/** Finds a check of the project. @throws ApiError 404 */
export async function findCheck(db: Db, projectId: number, id: number): Promise<StoredCheck> {
  const row = await db
    .selectFrom('external_status_checks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(recordNotFound);
  return (await withBranches(db, [row]))[0]!;
}

/** @throws ApiError 422 for an invalid or always blocked URL */
function requireValid({ external_url }: StatusCheckInput): void {
  if (external_url === undefined) return;
  try {
    parseHttpUrl(external_url);
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalidModel({ external_url: [error.message] }, 422);
    throw error;
  }
}

/** @throws ApiError 422 if another check of the project has the name or URL */
async function refuseTaken(db: Db, projectId: number, input: StatusCheckInput, exceptId: number): Promise<void> {
  for (const column of ['name', 'external_url'] as const) {
    const value = input[column];
    if (value === undefined) continue;
    const other = await db
      .selectFrom('external_status_checks')
      .select('id')
      .where('project_id', '=', projectId)
      .where(column, '=', value)
      .where('id', '!=', exceptId)
      .executeTakeFirst();
    if (other !== undefined) throw invalidModel({ [column]: ['has already been taken'] }, 422);
  }
}

/** Sets the protected branches of a check. @throws ApiError 422 for branches that the project does not protect */
async function setBranches(db: Db, projectId: number, checkId: number, input: readonly number[]): Promise<void> {
  const ids = [...new Set(input)];
  await db.deleteFrom('external_status_check_branches').where('check_id', '=', checkId).execute();
  if (ids.length === 0) return;
  const known = await db
    .selectFrom('protected_refs')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', 'branch')
    .where('id', 'in', ids)
    .execute();
  if (known.length < ids.length) throw invalidModel({ protected_branch_ids: ['must all belong to this project'] }, 422);
  const rows = ids.map((protected_ref_id) => ({ check_id: checkId, protected_ref_id }));
  await db.insertInto('external_status_check_branches').values(rows).execute();
}

/**
 * Adds a check to a project.
 * @throws ApiError 422 for an invalid or taken name or URL, for branches of other projects, and beyond 100 checks
 */
export async function createCheck(
  deps: Deps,
  project: Project,
  input: StatusCheckInput & { name: string; external_url: string },
): Promise<StoredCheck> {
  requireValid(input);
  const now = timestamp(deps.clock);
  return saving(deps, project.id, input, 0, async (db) => {
    const there = await db
      .selectFrom('external_status_checks')
      .select('id')
      .where('project_id', '=', project.id)
      .limit(MAX_CHECKS)
      .execute();
    if (there.length >= MAX_CHECKS)
      throw refused(
        `Limit reached: a project has at most ${MAX_CHECKS} external status checks. Delete one first.`,
        422,
      );
    const { id } = await db
      .insertInto('external_status_checks')
      .values({
        project_id: project.id,
        name: input.name,
        external_url: input.external_url,
        shared_secret: sealedSecret(deps, input.shared_secret),
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await setBranches(db, project.id, id, input.protected_branch_ids ?? []);
    return recorded(deps, db, 'create', await findCheck(db, project.id, id));
  });
}

const sealedSecret = ({ secrets }: Deps, secret: string | undefined) =>
  secret ? sealStored(secrets, secret, 'external_status_checks.shared_secret') : null;

/** Changes a check. @throws ApiError 404, 422 */
export async function updateCheck(
  deps: Deps,
  project: Project,
  id: number,
  input: StatusCheckInput,
): Promise<StoredCheck> {
  requireValid(input);
  return saving(deps, project.id, input, id, async (db) => {
    const { name, external_url, shared_secret } = input;
    const { numUpdatedRows } = await db
      .updateTable('external_status_checks')
      .set({
        ...(name === undefined ? {} : { name }),
        ...(external_url === undefined ? {} : { external_url }),
        ...(shared_secret === undefined ? {} : { shared_secret: sealedSecret(deps, shared_secret) }),
        updated_at: timestamp(deps.clock),
      })
      .where('project_id', '=', project.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw recordNotFound();
    if (input.protected_branch_ids !== undefined) await setBranches(db, project.id, id, input.protected_branch_ids);
    return recorded(deps, db, 'update', await findCheck(db, project.id, id));
  });
}

async function saving(
  deps: Deps,
  projectId: number,
  input: StatusCheckInput,
  exceptId: number,
  save: (db: Db) => Promise<StoredCheck>,
): Promise<StoredCheck> {
  try {
    return await deps.db.transaction().execute(async (db) => {
      await refuseTaken(db, projectId, input, exceptId);
      return save(db);
    });
  } catch (error) {
    // A concurrent request took the name or URL: report which one.
    if (isUniqueViolation(error)) await refuseTaken(deps.db, projectId, input, exceptId);
    throw error;
  }
}

/** Deletes a check with its responses. @throws ApiError 404 */
export async function destroyCheck(deps: Deps, projectId: number, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const gone = await db
      .deleteFrom('external_status_checks')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    await recorded(deps, db, 'delete', gone);
  });
}

/** Records an audit event of a check. Contains only the host of its URL, which may hold secrets. */
async function recorded<T extends Pick<StoredCheck, 'id' | 'name' | 'project_id' | 'external_url'>>(
  deps: Deps,
  db: Db,
  happened: 'create' | 'update' | 'delete',
  check: T,
): Promise<T> {
  const verb = { create: 'Added', update: 'Changed', delete: 'Removed' }[happened];
  const { host } = new URL(check.external_url);
  await recordAudit(deps, db, {
    name: `${happened}_status_check`,
    entity: onProject(check.project_id),
    target: { id: check.id, type: 'MergeRequests::ExternalStatusCheck', details: check.name },
    message: `${verb} external status check ${check.name} on ${host}`,
  });
  return check;
}

/**
 * Stores the response of a check for the head of a merge request.
 * @returns id of the response, and the check
 * @throws ApiError 404 if the check does not apply, 409 if `sha` is not the head
 */
export async function respond(
  deps: Deps,
  mergeRequest: MergeRequest,
  { checkId, sha, status }: { checkId: number; sha: string; status: 'pending' | 'passed' | 'failed' },
  actorId: number,
): Promise<{ id: number; check: StoredCheck }> {
  return deps.db.transaction().execute(async (db) => {
    const row = await lockMergeRequest(db, mergeRequest.id);
    if (row === undefined) throw recordNotFound();
    const check = await findCheck(db, row.project_id, checkId);
    if (!isFor(check, row.target_branch)) throw recordNotFound();
    if (row.head_sha !== sha) throw conflict(`SHA does not match HEAD of source branch: ${row.head_sha ?? ''}`);
    const id = await enter(deps, db, row, checkId, status);
    // Auto-merges may wait for it.
    await deps.events.record(
      db,
      'merge_request.status_checked',
      { merge_request_id: row.id, project_id: row.project_id, external_status_check_id: checkId, status },
      { projectId: row.project_id, actorId },
    );
    return { id, check };
  });
}

async function enter(
  deps: Deps,
  db: Db,
  { id, head_sha }: MergeRequest,
  checkId: number,
  status: 'pending' | 'passed' | 'failed',
): Promise<number> {
  const row = await db
    .insertInto('status_check_responses')
    .values({
      external_status_check_id: checkId,
      merge_request_id: id,
      sha: head_sha ?? '',
      status,
      created_at: timestamp(deps.clock),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Retries a failed check of a merge request. @throws ApiError 404, 422 if it has not failed */
export async function retry(deps: Deps, mergeRequest: MergeRequest, checkId: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const row = await lockMergeRequest(db, mergeRequest.id);
    if (row === undefined) throw recordNotFound();
    const statuses = (await checkStatuses(deps, db, [row])).get(row.id)!;
    const checkStatus = statuses.find(({ check }) => check.id === checkId);
    if (checkStatus === undefined) throw recordNotFound();
    if (checkStatus.status !== 'failed') throw refused('External status check must be failed', 422);
    await enter(deps, db, row, checkId, 'pending');
  });
}
