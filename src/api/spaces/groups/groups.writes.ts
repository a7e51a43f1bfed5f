import type { Updateable } from 'kysely';
import type { Static } from 'typebox';
import { isTokenBot, type UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { mayCreateTopLevelSpaces } from '../../../access/may-create-spaces.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { recordGroupChanges } from '../../../audit/groups.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel } from '../../../core/core.errors.ts';
import { groupFacts } from '../../../core/event-facts.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { startsWith } from '../../../db/like.ts';
import { isPathTaken, lockTrees } from '../../../db/namespace-tree.ts';
import type { Namespace, NamespacesTable } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { isValidBranchName } from '../../../git/common/index.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { restrictionErrors, stricterVisibility } from '../../../settings/settings.visibility.ts';
import { avatarColumn } from '../../identity/index.ts';
import { domainErrors } from './email-domains.ts';
import { createGroup } from './groups.create.ts';
import { visibleGroup } from './groups.find.ts';
import type { CreateInput, UpdateInput } from './groups.inputs.ts';
import {
  contentVisibilityErrors,
  depthErrors,
  namingErrors,
  notSaved,
  parentVisibilityErrors,
  withErrors,
} from './groups.rules.ts';
import { creationLevel, groupSettings, settingsColumn } from './groups.settings.ts';
import { moveTree } from './groups.tree.ts';

/** Whether the user may create top-level groups. */
export async function mayCreateTopLevel(deps: Deps, { user, admin }: UserCaller): Promise<boolean> {
  if (isTokenBot(user)) return false;
  if (admin) return true;
  if (user.can_create_group === 0 || user.external === 1) return false;
  return (
    (await applicationSettings(deps)).top_level_group_creation_enabled && (await mayCreateTopLevelSpaces(deps, user.id))
  );
}

/**
 * Creates a group from parameters.
 * @param transactionHook runs in the transaction that inserts it
 * @throws ApiError 400 for invalid parameters, 403 without the right, 404 for a hidden parent
 */
export async function createByInput(
  deps: Deps,
  caller: UserCaller,
  input: Static<typeof CreateInput>,
  transactionHook?: (db: Db, group: Namespace) => Promise<void>,
): Promise<Namespace> {
  const parent = input.parent_id === undefined ? null : await visibleGroup(deps, caller, input.parent_id);
  const allowed =
    parent === null
      ? await mayCreateTopLevel(deps, caller)
      : (await groupPermissions(deps, caller, parent)).can('create_subgroup');
  if (!allowed) throw forbidden();
  const instance = await applicationSettings(deps);
  const { name, path } = input;
  const visibility =
    input.visibility ?? stricterVisibility(instance.default_group_visibility, parent?.visibility ?? 'public');
  const errors = withErrors({
    ...namingErrors({ name, path }, parent === null),
    parent_id: depthErrors(parent),
    visibility_level: [
      ...restrictionErrors(instance, caller, visibility),
      ...parentVisibilityErrors(visibility, parent),
    ],
    default_branch: branchErrors(input.default_branch),
  });
  if (Object.keys(errors).length > 0) throw notSaved(errors);
  const picture = await avatarColumn(deps, input.avatar);
  return createGroup(deps, {
    name,
    path,
    parent,
    visibility,
    creatorId: caller.user.id,
    columns: {
      ...columnsOf(input),
      ...picture,
      settings: settingsColumn({ settings: '{}' }, { ...creationLevel(instance), ...input }),
    },
    transactionHook: async (db, group) => {
      if (parent !== null) await revalidateGroupAbility(deps, db, caller, parent.id, 'create_subgroup');
      await transactionHook?.(db, group);
    },
  });
}

const branchErrors = (name: string | null | undefined): string[] =>
  name == null || name === '' || isValidBranchName(name) ? [] : ['is invalid'];

function columnsOf(input: Static<typeof UpdateInput>): Updateable<NamespacesTable> {
  const columns: Updateable<NamespacesTable> = {};
  if (input.description !== undefined) columns.description = input.description;
  if (input.request_access_enabled !== undefined) columns.request_access_enabled = bit(input.request_access_enabled);
  return columns;
}

/**
 * Updates a group; a new path moves everything below it.
 * @throws ApiError 400 with errors by field; 401, 403 and 404 if the right was lost meanwhile
 */
export async function updateGroup(
  deps: Deps,
  caller: UserCaller,
  unlockedGroup: Namespace,
  input: Static<typeof UpdateInput>,
): Promise<Namespace> {
  const picture = await avatarColumn(deps, input.avatar);
  return deps.db.transaction().execute(async (db) => {
    const group = (await lockTrees(db, [unlockedGroup]))[0]!;
    await revalidateGroupAbility(deps, db, caller, group.id, 'update_group');
    const errors = withErrors(await updateErrors(deps, db, caller, group, input));
    if (Object.keys(errors).length > 0) throw invalidModel(errors);
    const now = timestamp(deps.clock);
    if (input.path !== undefined && input.path !== group.path) await rename(deps, db, caller, group, input.path, now);
    const changed = await db
      .updateTable('namespaces')
      .set({
        ...columnsOf(input),
        ...picture,
        ...(input.name === undefined ? {} : { name: input.name }),
        ...(input.visibility === undefined ? {} : { visibility: input.visibility }),
        ...(input.file_template_project_id === undefined
          ? {}
          : { file_template_project_id: input.file_template_project_id }),
        settings: settingsColumn(group, input),
        updated_at: now,
      })
      .where('id', '=', group.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordGroupChanges(deps, db, withSettings(group), withSettings(changed));
    await deps.events.record(
      db,
      'group.updated',
      { group_id: group.id, group: groupFacts(changed) },
      about(group, caller),
    );
    return changed;
  });
}

const withSettings = (row: Namespace) => ({ ...row, ...groupSettings(row) });

const about = (group: Namespace, caller: UserCaller) => ({ groupId: group.id, actorId: caller.user.id });

async function updateErrors(
  deps: Deps,
  db: Db,
  caller: UserCaller,
  group: Namespace,
  input: Static<typeof UpdateInput>,
) {
  const parent =
    group.parent_id === null
      ? null
      : await db.selectFrom('namespaces').selectAll().where('id', '=', group.parent_id).executeTakeFirstOrThrow();
  const errors = namingErrors(input, parent === null);
  if (input.path !== undefined && input.path !== group.path && errors.path?.length === 0) {
    const fullPath = parent === null ? input.path : `${parent.full_path}/${input.path}`;
    if (await isPathTaken(db, fullPath, { namespaceId: group.id })) errors.path = ['has already been taken'];
  }
  if (input.visibility !== undefined && input.visibility !== group.visibility) {
    errors.visibility_level = [
      ...restrictionErrors(await applicationSettings(deps, db), caller, input.visibility),
      ...parentVisibilityErrors(input.visibility, parent),
      ...(await contentVisibilityErrors(db, group, input.visibility)),
    ];
  }
  if (input.prevent_sharing_groups_outside_hierarchy && parent !== null) {
    errors.prevent_sharing_groups_outside_hierarchy = ['can only be set on a top-level group'];
  }
  errors.default_branch = branchErrors(input.default_branch);
  Object.assign(errors, unavailableErrors(input));
  errors.allowed_email_domains_list = domainErrors(input.allowed_email_domains_list);
  const { file_template_project_id: templates } = input;
  if (templates != null && !(await isProjectBelow(db, group, templates))) {
    errors.file_template_project_id = ['is not a project of the group'];
  }
  return errors;
}

/** Refuses settings that would suggest a protection that the server does not provide. */
function unavailableErrors(input: Static<typeof UpdateInput>): FieldErrors {
  const { ip_restriction_ranges: ranges, step_up_auth_required_oauth_provider: provider } = input;
  return {
    ip_restriction_ranges: ranges
      ? ['cannot be set: leave it empty, and restrict addresses with a firewall or reverse proxy']
      : [],
    step_up_auth_required_oauth_provider: provider ? ['is not supported by this server: leave it empty'] : [],
  };
}

async function isProjectBelow(db: Db, group: Namespace, projectId: number): Promise<boolean> {
  const unlockedGroup = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where('projects.id', '=', projectId)
    .where((eb) => startsWith(eb, eb.ref('namespaces.lineage'), group.lineage))
    .executeTakeFirst();
  return unlockedGroup !== undefined;
}

async function rename(
  deps: Deps,
  db: Db,
  caller: UserCaller,
  group: Namespace,
  path: string,
  now: string,
): Promise<void> {
  const parent =
    group.parent_id === null
      ? null
      : await db.selectFrom('namespaces').selectAll().where('id', '=', group.parent_id).executeTakeFirstOrThrow();
  const moved = await moveTree(db, group, { path, parent, updatedAt: now });
  await deps.events.record(
    db,
    'group.renamed',
    { group_id: group.id, old_full_path: group.full_path, group: groupFacts(moved) },
    about(group, caller),
  );
}
