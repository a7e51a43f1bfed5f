import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { recordProtection, recordProtectionChange } from '../../../audit/protections.audit.ts';
import { project as onProject } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, forbidden, recordNotFound, refused } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import { asciiLower } from '../../../db/like.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  atLevel,
  findProtection,
  insertProtection,
  removeProtection,
  requireUnprotect,
} from '../../../repositories/repository.protected-refs.ts';
import { type Actor, loadProtections, type Protection } from '../../../repositories/repository.protections.ts';
import {
  applyChanges,
  type LevelChanges,
  levelsOf,
  type ProjectOf,
  readChanges,
  refuseDuplicates,
  refuseOutsiders,
} from '../protected-refs/protected-refs.levels.ts';
import type { CreateProtectedBranchInput, UpdateProtectedBranchInput } from './protected-branches.inputs.ts';

const ACTIONS = ['push', 'merge', 'unprotect'] as const;

/** Lists the protected branches of a project, oldest first, followed by those inherited from groups. */
export async function listProtectedBranches(deps: Deps, project: Project, search = ''): Promise<Protection[]> {
  const part = asciiLower(search);
  return (await loadProtections(deps, project.id)).filter(
    ({ kind, name }) => kind === 'branch' && asciiLower(name).includes(part),
  );
}

/** Returns the protected branch of exactly this name or wildcard, including inherited ones. @throws ApiError 404 */
export async function getProtectedBranch(deps: Deps, project: Project, name: string): Promise<Protection> {
  const all = await loadProtections(deps, project.id);
  const match = all.find((each) => each.kind === 'branch' && each.name === name);
  if (match === undefined) throw recordNotFound();
  return match;
}

/** As `getProtectedBranch`, for changes. @throws ApiError 403 for an inherited one, 404 */
export async function getOwnProtectedBranch(deps: Deps, project: Project, name: string): Promise<Protection> {
  const match = await getProtectedBranch(deps, project, name);
  if (match.inherited) throw forbidden('The protection is inherited from a group. Change it there.');
  return match;
}

/**
 * Protects a branch or wildcard.
 * @throws ApiError 409 if the name is already protected, 422 for a blank name or a user without access
 */
export async function protectBranch(
  deps: Deps,
  { project, namespace }: ProjectOf,
  caller: Caller,
  input: CreateProtectedBranchInput,
): Promise<Protection> {
  if (input.name.trim() === '') throw refused("Name can't be blank", 422);
  const levels = ACTIONS.flatMap((action) =>
    levelsOf(action, input[`${action}_access_level`], input[`allowed_to_${action}`]),
  );
  refuseDuplicates(levels);
  await refuseOutsiders(deps, project, namespace, levels);
  try {
    return await deps.db.transaction().execute(async (db) => {
      await revalidateProjectAbility(deps, db, caller, project.id, 'admin_protected_branches');
      const made = await insertProtection(db, deps.clock, {
        projectId: project.id,
        kind: 'branch',
        name: input.name,
        allowForcePush: input.allow_force_push ?? false,
        codeOwnerApprovalRequired: input.code_owner_approval_required ?? false,
        levels,
      });
      await recordProtection(deps, db, onProject(project.id), 'branch', 'created', made);
      return made;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`Protected branch '${input.name}' already exists`);
    throw error;
  }
}

/**
 * Updates a protection; absent attributes are kept.
 * @throws ApiError 400, 403, 404, or 422 for duplicate access levels or a user without access
 */
export async function updateProtectedBranch(
  deps: Deps,
  { project, namespace }: ProjectOf,
  actor: Actor,
  name: string,
  input: UpdateProtectedBranchInput,
): Promise<Protection> {
  const { id } = await getOwnProtectedBranch(deps, project, name);
  const { allow_force_push, code_owner_approval_required } = input;
  return deps.db.transaction().execute(async (db) => {
    // The first write serializes changes of the same protection.
    await db
      .updateTable('protected_refs')
      .set({ updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .execute();
    const before = await findProtection(db, project.id, 'branch', name);
    if (before === undefined) throw recordNotFound();
    await db
      .updateTable('protected_refs')
      .set({
        updated_at: timestamp(deps.clock),
        ...(allow_force_push === undefined ? {} : { allow_force_push: bit(allow_force_push) }),
        ...(code_owner_approval_required === undefined
          ? {}
          : { code_owner_approval_required: bit(code_owner_approval_required) }),
      })
      .where('id', '=', id)
      .execute();
    const existing = await findProtection(db, project.id, 'branch', name);
    if (existing === undefined) throw recordNotFound();
    const scope = await revalidateProjectAbility(deps, db, actor.caller, project.id, 'admin_protected_branches');
    await requireUnprotect(transactionDeps(deps, db), scope, existing);
    for (const action of ACTIONS) {
      const current = existing.levels.filter((level) => level.action === action);
      const changes = changesOf(action, input, current);
      const updated = changes.update.map(({ to }) => to);
      const touched = new Set([...changes.remove, ...changes.update.map(({ id }) => id)]);
      refuseDuplicates([...current.filter(({ id }) => !touched.has(id)), ...updated, ...changes.add]);
      await refuseOutsiders(transactionDeps(deps, db), project, namespace, [...updated, ...changes.add]);
      await applyChanges(db, id, changes);
    }
    const after = (await findProtection(db, project.id, 'branch', name))!;
    await recordProtectionChange(deps, db, onProject(project.id), before, after);
    return after;
  });
}

function changesOf(
  action: (typeof ACTIONS)[number],
  input: UpdateProtectedBranchInput,
  current: Protection['levels'],
): LevelChanges {
  const changes = readChanges(action, input[`allowed_to_${action}`] ?? [], current);
  const role = input.unprotect_access_level;
  if (action !== 'unprotect' || role === undefined) return changes;
  const roles = current.filter(({ access_level }) => access_level !== null).map(({ id }) => id);
  return {
    ...changes,
    remove: [...changes.remove, ...roles],
    add: [{ action, ...atLevel(role) }, ...changes.add],
  };
}

/** Removes a protection. @throws ApiError 403, 404 */
export async function unprotectBranch(deps: Deps, actor: Actor, protection: Protection): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const { project_id: id } = protection;
    const scope = await revalidateProjectAbility(deps, db, actor.caller, id, 'admin_protected_branches');
    const current = await findProtection(db, id, 'branch', protection.name);
    if (current === undefined) throw recordNotFound();
    await requireUnprotect(transactionDeps(deps, db), scope, current);
    if (!(await removeProtection(db, current.id))) throw recordNotFound();
    await recordProtection(deps, db, onProject(id), 'branch', 'removed', current);
  });
}
