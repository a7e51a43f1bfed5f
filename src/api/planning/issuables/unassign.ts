import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { Deps } from '../../../deps.ts';

/** Unassigns removed members from the issues and merge requests of a project or group, if requested. */
export function registerUnassign(deps: Deps): void {
  deps.events.subscribe({
    name: 'unassign',
    types: ['member.removed'],
    wants: ({ payload }) => payload.unassign_issuables === true,
    handle: ({ payload }) => unassign(deps, payload),
  });
}

async function unassign(deps: Deps, member: DomainEvents['member.removed']): Promise<void> {
  const { source_type, source_id, user_id } = member;
  const query = deps.db.deleteFrom('issuable_assignees').where('user_id', '=', user_id);
  if (source_type === 'project') {
    await query.where('project_id', '=', source_id).execute();
    return;
  }
  const group = await deps.db.selectFrom('namespaces').select('lineage').where('id', '=', source_id).executeTakeFirst();
  if (group === undefined) return;
  const below = deps.db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where('namespaces.lineage', '>=', group.lineage)
    .where('namespaces.lineage', '<', group.lineage + AFTER_LINEAGE);
  await query.where('project_id', 'in', below).execute();
}
