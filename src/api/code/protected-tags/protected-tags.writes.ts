import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { recordProtection } from '../../../audit/protections.audit.ts';
import { project as onProject } from '../../../audit/record.audit.ts';
import { invalidModel, recordNotFound, refused } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { findProtection, insertProtection, removeProtection } from '../../../repositories/repository.protected-refs.ts';
import type { Protection } from '../../../repositories/repository.protections.ts';
import {
  levelsOf,
  type ProjectOf,
  refuseDuplicates,
  refuseOutsiders,
} from '../protected-refs/protected-refs.levels.ts';
import type { CreateProtectedTagInput } from './protected-tags.inputs.ts';

/** Returns the protected tag of exactly this name or wildcard. @throws ApiError 404 */
export async function getProtectedTag(deps: Deps, project: Project, name: string): Promise<Protection> {
  const protection = await findProtection(deps.db, project.id, 'tag', name);
  if (protection === undefined) throw recordNotFound();
  return protection;
}

/** Protects a tag or wildcard. @throws ApiError 422 for a blank or already protected name, or a user without access */
export async function protectTag(
  deps: Deps,
  { project, namespace }: ProjectOf,
  caller: Caller,
  input: CreateProtectedTagInput,
): Promise<Protection> {
  if (input.name.trim() === '') throw refused("Name can't be blank", 422);
  const levels = levelsOf('create', input.create_access_level, input.allowed_to_create);
  refuseDuplicates(levels);
  await refuseOutsiders(deps, project, namespace, levels);
  try {
    return await deps.db.transaction().execute(async (db) => {
      await revalidateProjectAbility(deps, db, caller, project.id, 'admin_protected_tags');
      const attributes = { projectId: project.id, kind: 'tag' as const, name: input.name, levels };
      const made = await insertProtection(db, deps.clock, attributes);
      await recordProtection(deps, db, onProject(project.id), 'tag', 'created', made);
      return made;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ Name: ['has already been taken'] }, 422);
    throw error;
  }
}

/** Removes a protection. @throws ApiError 401, 403, 404 */
export async function unprotectTag(deps: Deps, caller: Caller, protection: Protection): Promise<void> {
  const { id, project_id } = protection;
  await deps.db.transaction().execute(async (db) => {
    await revalidateProjectAbility(deps, db, caller, project_id, 'admin_protected_tags');
    if (!(await removeProtection(db, id))) throw recordNotFound();
    await recordProtection(deps, db, onProject(project_id), 'tag', 'removed', protection);
  });
}
