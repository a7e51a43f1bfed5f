import type { UserCaller } from '../../../../access/caller.ts';
import { findProject } from '../../../../access/lookup.ts';
import { projectPermissions } from '../../../../access/permissions.ts';
import { timestamp } from '../../../../core/clock.ts';
import { forbidden, invalidModel, notFound } from '../../../../core/core.errors.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import { bit } from '../../../../db/columns.ts';
import { isUniqueViolation } from '../../../../db/db.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { nextIid } from '../../../../db/iids.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { objectFormatOf } from '../../../../git/objects/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import type { UserScope } from '../../../object-access.ts';
import { settingsOf } from '../../../spaces/index.ts';
import { todosOfChanges } from '../../todos/todos.changes.ts';
import { rulesFromAttributes } from '../approvals/rule-attributes.ts';
import { checkBranches, headOf, type MergeRequestBranches, refuseDuplicate } from '../lifecycle/branches.ts';
import { enqueueRefresh, refreshNow } from '../mergeability/refresh.ts';
import type { MergeRequestScope } from '../views/merge-requests.detail-views.ts';
import type { CreateMergeRequest } from './merge-requests.inputs.ts';
import { changeMetadata } from './merge-requests.metadata.ts';
import { isDraftTitle, textErrors } from './title.ts';

export interface Created {
  row: MergeRequest;
  /** The target project, with the caller's permissions. */
  scope: MergeRequestScope;
}

/**
 * Creates a merge request from a branch of `from.project` (public documentation, "Create MR"). Copies and checks its
 * head before the response, if possible; else in the background.
 * @param after further work in the same transaction
 * @throws ApiError 400, 403, 404, 409 for a second one between the same branches, 422
 */
export async function createMergeRequest(
  deps: Deps,
  from: UserScope,
  input: CreateMergeRequest,
  after?: (db: Db, row: MergeRequest) => Promise<void>,
): Promise<Created> {
  const scope = await findTarget(deps, from, input.target_project_id);
  const { source_branch, target_branch, title, description } = input;
  const ends: MergeRequestBranches = { source: from.project, target: scope.project, source_branch, target_branch };
  checkBranches(ends);
  const errors = textErrors({ title, ...(description === undefined ? {} : { description }) });
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
  await checkFormats(deps, ends);
  const head = await headOf(deps, ends);
  const pair = { project_id: scope.project.id, source_project_id: from.project.id, source_branch, target_branch };
  await refuseDuplicate(deps.db, pair);
  const rules = await rulesFromAttributes(deps, scope, null, input.approval_rules_attributes);
  const { id } = await insert(deps, scope, ends, head, input, async (db, row) => {
    await rules(db, row);
    await after?.(db, row);
  }).catch(async (error: unknown) => {
    if (isUniqueViolation(error)) await refuseDuplicate(deps.db, pair);
    throw error;
  });
  return { row: await refreshNow(deps, id), scope };
}

/** Finds the project to merge into. @throws ApiError 404 if the caller may not see it, 403 */
export async function findTarget(deps: Deps, from: UserScope, targetId: number | undefined): Promise<UserScope> {
  const { caller } = from;
  const own = targetId === undefined || targetId === from.project.id;
  const scope = own ? from : await findProject(deps, String(targetId));
  if (scope === undefined) throw notFound('Project');
  const { project, namespace } = scope;
  const permissions = own ? from.permissions : await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_project')) throw notFound('Project');
  if (!permissions.can('create_merge_request_in')) throw forbidden();
  return { project, namespace, permissions, caller };
}

async function checkFormats(deps: Deps, { source, target }: MergeRequestBranches): Promise<void> {
  if (source.id === target.id) return;
  const formats = await Promise.all([source, target].map((each) => objectFormatOf(repositoryOf(deps, each).dir)));
  if (formats[0] !== formats[1]) {
    throw invalidModel({ base: ['The two repositories use different object formats'] }, 422);
  }
}

/** Whether commits are squashed, by the project's option and the client's parameter. */
function squashes(target: Project, squash: boolean | undefined): boolean {
  const option = settingsOf(target).squash_option;
  return squash ?? (option === 'always' || option === 'default_on');
}

function insert(
  deps: Deps,
  scope: MergeRequestScope & { caller: UserCaller },
  { source, target, source_branch, target_branch }: MergeRequestBranches,
  head: string,
  input: CreateMergeRequest,
  within: (db: Db, row: MergeRequest) => Promise<void>,
): Promise<{ id: number }> {
  const { user } = scope.caller;
  const now = timestamp(deps.clock);
  const collaboration = input.allow_collaboration ?? input.allow_maintainer_to_push ?? false;
  return deps.db.transaction().execute(async (db: Db) => {
    const row = await db
      .insertInto('merge_requests')
      .values({
        iid: await nextIid(db, { source_type: 'project', source_id: target.id, usage: 'merge_requests' }),
        project_id: target.id,
        source_project_id: source.id,
        author_id: user.id,
        title: input.title,
        description: input.description ?? null,
        source_branch,
        target_branch,
        draft: bit(isDraftTitle(input.title)),
        allow_collaboration: bit(collaboration && source.id !== target.id),
        squash: bit(squashes(target, input.squash)),
        remove_source_branch: bit(input.remove_source_branch ?? false),
        merge_after: input.merge_after ?? null,
        approvals_before_merge: input.approvals_before_merge ?? null,
        approvals_syncing: 1,
        head_sha: head,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const changes = await changeMetadata(deps, db, scope, row, input, user.id);
    await todosOfChanges(deps, db, { type: 'MergeRequest', id: row.id, projectId: target.id }, changes, user.id);
    await deps.events.record(
      db,
      'merge_request.created',
      {
        merge_request_id: row.id,
        project_id: target.id,
        merge_request: { ...mergeRequestFacts(row), milestone_id: changes.milestone_id?.[1] ?? null },
        labels: changes.labels?.[1] ?? [],
        assignee_ids: changes.assignee_ids?.[1] ?? [],
        reviewer_ids: changes.reviewer_ids?.[1] ?? [],
      },
      { projectId: target.id, actorId: user.id },
    );
    await within(db, row);
    await enqueueRefresh(deps, db, row.id, { inPlace: true });
    return row;
  });
}
