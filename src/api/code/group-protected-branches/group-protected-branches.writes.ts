import type { Caller } from '../../../access/caller.ts';
import { revalidateGroupAbility } from '../../../access/caller-in-project.ts';
import { recordProtection, recordProtectionChange } from '../../../audit/protections.audit.ts';
import { group as onGroup } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { badRequest, conflict, forbidden, recordNotFound, refused } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { type GroupProtection, withGroupLevels } from '../../../repositories/group-protections.ts';
import type { NewLevel } from '../../../repositories/repository.protected-refs.ts';
import { levelsOf, readChanges, refuseDuplicates } from '../protected-refs/protected-refs.levels.ts';
import type { CreateInput, UpdateInput } from './group-protected-branches.inputs.ts';

const ACTIONS = ['push', 'merge', 'unprotect'] as const;
type Action = (typeof ACTIONS)[number];
const ABILITY = 'admin_group_protected_branches';
/** Each check in a project reads all of them. */
const MAX_PROTECTIONS = 500;

async function find(db: Db, groupId: number, name: string): Promise<GroupProtection | undefined> {
  const rows = await db
    .selectFrom('group_protected_branches')
    .selectAll()
    .where('group_id', '=', groupId)
    .where('name', '=', name)
    .execute();
  return (await withGroupLevels(db, rows))[0];
}

/** Returns the protected branch of exactly this name or wildcard in the group. @throws ApiError 404 */
export async function getGroupProtection(db: Db, group: Namespace, name: string): Promise<GroupProtection> {
  const protection = await find(db, group.id, name);
  if (protection === undefined) throw recordNotFound();
  return protection;
}

async function addLevels(db: Db, id: number, levels: readonly NewLevel[]): Promise<void> {
  if (levels.length === 0) return;
  const values = levels.map(({ action, access_level }) => ({
    group_protected_branch_id: id,
    action: action as Action,
    access_level: access_level!,
  }));
  await db.insertInto('group_protected_branch_levels').values(values).execute();
}

/**
 * Protects a branch or wildcard in all projects of the group and its subgroups.
 * @throws ApiError 400 in a subgroup or above the limit, 409 if the name is already protected, 422 for a blank name
 */
export async function protectInGroup(
  deps: Deps,
  group: Namespace,
  caller: Caller,
  input: CreateInput,
): Promise<GroupProtection> {
  if (group.parent_id !== null) throw badRequest('Branches can be protected in top-level groups only');
  if (input.name.trim() === '') throw refused("Name can't be blank", 422);
  const levels = ACTIONS.flatMap((action) =>
    levelsOf(action, input[`${action}_access_level`], input[`allowed_to_${action}`]),
  );
  refuseDuplicates(levels);
  const now = timestamp(deps.clock);
  try {
    return await deps.db.transaction().execute(async (db) => {
      await revalidateGroupAbility(deps, db, caller, group.id, ABILITY);
      const { count } = await db
        .selectFrom('group_protected_branches')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('group_id', '=', group.id)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_PROTECTIONS) {
        throw refused(`Limit reached: a group has at most ${MAX_PROTECTIONS} protected branches. Unprotect one first.`);
      }
      const { id } = await db
        .insertInto('group_protected_branches')
        .values({
          group_id: group.id,
          name: input.name,
          allow_force_push: bit(input.allow_force_push ?? false),
          code_owner_approval_required: bit(input.code_owner_approval_required ?? false),
          created_at: now,
          updated_at: now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await addLevels(db, id, levels);
      const made = (await find(db, group.id, input.name))!;
      await recordProtection(deps, db, onGroup(group.id), 'branch', 'created', made);
      return made;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`Protected branch '${input.name}' already exists`);
    throw error;
  }
}

/** Checks whether the caller may change or remove the protection. @throws ApiError 401, 403, 404 */
async function requireUnprotect(deps: Deps, db: Db, groupId: number, caller: Caller, { levels }: GroupProtection) {
  const now = await revalidateGroupAbility(deps, db, caller, groupId, ABILITY);
  const allowed = levels.filter(({ action }) => action === 'unprotect');
  if (allowed.length === 0 || now.caller.admin) return;
  const { level } = now.permissions;
  if (!allowed.some(({ access_level }) => access_level !== 60 && level >= access_level!)) throw forbidden();
}

/** Updates a protection; absent attributes are kept. @throws ApiError 400, 403, 404, 422 */
export async function updateInGroup(
  deps: Deps,
  group: Namespace,
  caller: Caller,
  name: string,
  input: UpdateInput,
): Promise<GroupProtection> {
  const { allow_force_push, code_owner_approval_required } = input;
  return deps.db.transaction().execute(async (db) => {
    await lockRow(db, 'namespaces', group.id);
    const before = await getGroupProtection(db, group, name);
    await db
      .updateTable('group_protected_branches')
      .set({
        updated_at: timestamp(deps.clock),
        ...(allow_force_push === undefined ? {} : { allow_force_push: bit(allow_force_push) }),
        ...(code_owner_approval_required === undefined
          ? {}
          : { code_owner_approval_required: bit(code_owner_approval_required) }),
      })
      .where('group_id', '=', group.id)
      .where('name', '=', name)
      .execute();
    const protection = await getGroupProtection(db, group, name);
    await requireUnprotect(deps, db, group.id, caller, protection);
    for (const action of ACTIONS) await changeLevels(db, protection, action, input);
    const after = await getGroupProtection(db, group, name);
    await recordProtectionChange(deps, db, onGroup(group.id), before, after);
    return after;
  });
}

async function changeLevels(db: Db, protection: GroupProtection, action: Action, input: UpdateInput): Promise<void> {
  const current = protection.levels.filter((level) => level.action === action);
  const { add, update, remove } = readChanges(action, input[`allowed_to_${action}`] ?? [], current);
  const touched = new Set([...remove, ...update.map(({ id }) => id)]);
  const changed = update.map(({ to }) => to);
  refuseDuplicates([...current.filter(({ id }) => !touched.has(id)), ...changed, ...add]);
  if (touched.size > 0) {
    await db
      .deleteFrom('group_protected_branch_levels')
      .where('id', 'in', [...touched])
      .execute();
  }
  await addLevels(db, protection.id, [...changed, ...add]);
}

/** Removes a protection from all projects of the group. @throws ApiError 403, 404 */
export async function unprotectInGroup(deps: Deps, group: Namespace, caller: Caller, name: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const protection = await find(db, group.id, name);
    if (protection === undefined) throw recordNotFound();
    await requireUnprotect(deps, db, group.id, caller, protection);
    const { numDeletedRows } = await db
      .deleteFrom('group_protected_branches')
      .where('id', '=', protection.id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw recordNotFound();
    await recordProtection(deps, db, onGroup(group.id), 'branch', 'removed', protection);
  });
}
