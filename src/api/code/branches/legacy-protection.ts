import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  atLevel,
  findProtection,
  insertLevels,
  insertProtection,
  removeProtection,
  requireUnprotect,
} from '../../../repositories/repository.protected-refs.ts';
import type { Actor } from '../../../repositories/repository.protections.ts';

const DEVELOPER = 30;
const MAINTAINER = 40;

/** Whether Developers may push and merge; undefined keeps the current setting, or Maintainers for a new protection. */
export interface DeveloperRights {
  push: boolean | undefined;
  merge: boolean | undefined;
}

const levelFor = (developers: boolean | undefined) => atLevel(developers === true ? DEVELOPER : MAINTAINER);

/** Protects a single branch through the deprecated API. @throws ApiError 403 */
export async function protectByFlags(
  deps: Deps,
  project: Project,
  actor: Actor,
  branch: string,
  rights: DeveloperRights,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, actor.caller, project.id, 'admin_protected_branches');
    const protection = await findProtection(db, project.id, 'branch', branch);
    if (protection === undefined) {
      const levels = (['push', 'merge'] as const).map((action) => ({ action, ...levelFor(rights[action]) }));
      await insertProtection(db, deps.clock, { projectId: project.id, kind: 'branch', name: branch, levels });
      return;
    }
    await requireUnprotect(transactionDeps(deps, db), scope, protection);
    await db
      .updateTable('protected_refs')
      .set({ updated_at: timestamp(deps.clock) })
      .where('id', '=', protection.id)
      .execute();
    for (const action of ['push', 'merge'] as const) {
      if (rights[action] === undefined) continue;
      await db
        .deleteFrom('protected_ref_levels')
        .where('protected_ref_id', '=', protection.id)
        .where('action', '=', action)
        .where('access_level', 'is not', null)
        .execute();
      await insertLevels(db, protection.id, [{ action, ...levelFor(rights[action]) }]);
    }
  });
}

/** Removes the protection of exactly this branch, if there is one; wildcards are kept. @throws ApiError 403 */
export async function unprotect(deps: Deps, project: Project, actor: Actor, branch: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const scope = await revalidateProjectAbility(deps, db, actor.caller, project.id, 'admin_protected_branches');
    const protection = await findProtection(db, project.id, 'branch', branch);
    if (protection === undefined) return;
    await requireUnprotect(transactionDeps(deps, db), scope, protection);
    await removeProtection(db, protection.id);
  });
}
