import { AccessLevel } from '../../../core/access-levels.ts';
import type { Deps } from '../../../deps.ts';
import { type Candidate, candidates, type Relation } from './candidate.ts';
import type { ProjectContext } from './project-context.ts';
import { activeMemberIds } from './recipients.members.ts';

/**
 * Maintainers and Owners of a project, including those of ancestor groups.
 * @param relation decides which of their settings apply
 */
export async function managersOf(
  deps: Deps,
  { project, namespace, groupIds }: ProjectContext,
  relation: Relation,
): Promise<Candidate[]> {
  const ids = await activeMemberIds(deps, { projectId: project.id, groupIds }, AccessLevel.maintainer);
  if (namespace.owner_id !== null) ids.push(namespace.owner_id);
  return candidates(ids, relation);
}
