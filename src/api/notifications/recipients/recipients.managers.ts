import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { type Candidate, candidates, type Relation } from './candidate.ts';
import type { ProjectContext } from './project-context.ts';

const MAX_MANAGERS = 1_000;

/**
 * Maintainers and Owners of a project, including those of ancestor groups.
 * @param relation decides which of their settings apply
 */
export async function managersOf(
  { db, clock }: Deps,
  { project, namespace, groupIds }: ProjectContext,
  relation: Relation,
): Promise<Candidate[]> {
  const ids = await membersAbove(db, project.id, groupIds, today(clock));
  if (namespace.owner_id !== null) ids.push(namespace.owner_id);
  return candidates(ids, relation);
}

async function membersAbove(db: Db, projectId: number, groupIds: readonly number[], day: string): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .distinct()
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'project'), eb('source_id', '=', projectId)]),
        eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', groupIds)]),
      ]),
    )
    .where('access_level', '>=', AccessLevel.maintainer)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    .limit(MAX_MANAGERS)
    .execute();
  return rows.map(({ user_id }) => user_id);
}
