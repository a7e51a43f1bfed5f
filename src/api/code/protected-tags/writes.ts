import type { Caller } from '../../../access/caller.ts';
import { requireStill } from '../../../access/standing.ts';
import { invalidModel, recordNotFound, refused } from '../../../core/errors.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { findProtection, insertProtection, removeProtection } from '../../../repositories/protected-refs.ts';
import type { Protection } from '../../../repositories/protections.ts';
import { levelsOf, type ProjectOf, refuseDuplicates, refuseOutsiders } from '../protected-refs/levels.ts';
import type { CreateProtectedTagInput } from './inputs.ts';

/** The protection of exactly this name or pattern. @throws ApiError 404 */
export async function getProtectedTag(deps: Deps, project: Project, name: string): Promise<Protection> {
  const found = await findProtection(deps.db, project.id, 'tag', name);
  if (found === undefined) throw recordNotFound();
  return found;
}

/**
 * Protects a tag or all tags of a pattern.
 * @throws ApiError 422 for a blank or protected name, or somebody without access
 */
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
      await requireStill(deps, db, caller, project.id, 'admin_protected_tags');
      return insertProtection(db, deps.clock, { projectId: project.id, kind: 'tag', name: input.name, levels });
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ Name: ['has already been taken'] }, 422);
    throw error;
  }
}

/** Takes the protection away. @throws ApiError 401, 403, 404 */
export async function unprotectTag(deps: Deps, caller: Caller, { id, project_id }: Protection): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await requireStill(deps, db, caller, project_id, 'admin_protected_tags');
    if (!(await removeProtection(db, id))) throw recordNotFound();
  });
}
