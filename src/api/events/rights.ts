import type { Caller } from '../../access/caller.ts';
import { type ProjectPermissions, projectPermissionsAt } from '../../access/permissions.ts';
import { projectStandings } from '../../access/project-levels.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import { notDeleted } from '../../db/not-deleted.ts';
import { type FeatureColumn, PROJECT_FEATURES } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';

/** What a caller may read of a project that he sees, as far as its activity shows it. */
export interface Rights {
  member: boolean;
  code: boolean;
  issues: boolean;
  confidentialIssues: boolean;
  internalNotes: boolean;
  mergeRequests: boolean;
  milestones: boolean;
  snippets: boolean;
}

/** The rights that permissions give; null when not even the project is to be seen. */
export function rightsOf({ can, level }: ProjectPermissions): Rights | null {
  if (!can('read_project')) return null;
  return {
    member: level > 0,
    code: can('read_code'),
    issues: can('read_issue'),
    confidentialIssues: can('read_confidential_issues'),
    internalNotes: can('read_internal_note'),
    mergeRequests: can('read_merge_request'),
    milestones: can('read_milestone'),
    snippets: can('read_snippet'),
  };
}

const FEATURES = PROJECT_FEATURES.map((feature): FeatureColumn => `${feature}_access_level`);

/**
 * The caller's rights in many projects at once, in a handful of queries. Projects that he does not see are left out.
 * @param membersOnly leaves out those too that he is no member of, administrator or not
 */
export async function rightsIn(
  deps: Deps,
  caller: Caller,
  projectIds: readonly number[],
  membersOnly: boolean,
): Promise<Map<number, Rights>> {
  if (projectIds.length === 0) return new Map();
  const { db } = deps;
  const projects = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.namespace_id', 'projects.visibility', 'projects.archived'])
    .select(['namespaces.lineage', 'namespaces.owner_id'])
    .select(FEATURES.map((column) => `projects.${column}` as const))
    .where('projects.id', 'in', projectIds)
    .where(notDeleted())
    .execute();
  const namespaces = new Map(projects.map(({ namespace_id, ...rest }) => [namespace_id, rest]));
  const standings =
    caller.user === null || (caller.admin && !membersOnly)
      ? undefined
      : await projectStandings(db, caller.user.id, projects, namespaces, today(deps.clock));
  const found = new Map<number, Rights>();
  for (const project of projects) {
    const level = standings?.get(project.id)?.level ?? 0;
    if (membersOnly && level < AccessLevel.guest) continue;
    const rights = rightsOf(projectPermissionsAt(caller, project, caller.admin ? AccessLevel.admin : level));
    if (rights !== null) found.set(project.id, rights);
  }
  return found;
}
