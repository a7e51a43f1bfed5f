import { type Expression, type SqlBool, sql } from 'kysely';
import { allowsInProject, type ProjectAbility } from '../../../access/access.abilities.ts';
import { isProjectOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { isFrozen } from '../../../access/frozen.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { projectLevelsOf } from '../../../access/project-levels.ts';
import { atLevel } from '../../../access/role-permissions.ts';
import { openVisibilities } from '../../../access/visible-groups.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { notDeleted } from '../../../db/not-deleted.ts';
import type { FeatureLevel } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';

/** Parts of a project that a caller may read, as far as its activity shows them. */
export interface Rights {
  member: boolean;
  code: boolean;
  issues: boolean;
  confidentialIssues: boolean;
  internalNotes: boolean;
  mergeRequests: boolean;
  milestones: boolean;
  snippets: boolean;
  wikis: boolean;
}

/** The rights given by abilities; null if the caller may not see the project. */
export function rightsOf({ can, level }: Pick<ProjectPermissions, 'can' | 'level'>): Rights | null {
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
    wikis: can('read_wiki'),
  };
}

/** Condition on `projects`: the caller may see them. */
export function visible(caller: Caller, day: string): Expression<SqlBool> {
  if (caller.admin) return notDeleted();
  const open = sql<SqlBool>`(projects.visibility || '') in (${sql.join(openVisibilities(caller))})`;
  const ways =
    caller.user === null ? open : sql<SqlBool>`(${open} or ${isProjectOf(caller.user.id, AccessLevel.guest, day)})`;
  return sql<SqlBool>`(${notDeleted()} and ${ways})`;
}

/** Features of a project with activity. */
const FEATURES = ['repository', 'issues', 'merge_requests', 'snippets', 'wiki'] as const;

/**
 * The caller's rights in many projects, in a fixed number of queries. Projects that they may not see are left out.
 * @param membersOnly leaves out projects that they are not a member of, also for administrators
 */
export async function rightsIn(
  deps: Deps,
  caller: Caller,
  projectIds: readonly number[],
  membersOnly: boolean,
): Promise<Map<number, Rights>> {
  if (projectIds.length === 0) return new Map();
  const { db } = deps;
  const { user } = caller;
  const day = today(deps.clock);
  const projects = await db
    .selectFrom('projects')
    .select(['id', 'namespace_id', 'visibility', 'archived', 'in_deletion'])
    .select(FEATURES.map((feature) => `${feature}_access_level` as const))
    .where('id', 'in', projectIds)
    .where(visible(caller, day))
    .execute();
  const standings =
    user === null || (caller.admin && !membersOnly)
      ? undefined
      : await projectLevelsOf(deps.db, user.id, projects, day);
  const byProject = new Map<number, Rights>();
  for (const project of projects) {
    const membership = standings?.get(project.id) ?? atLevel(0);
    if (membersOnly && membership.level < AccessLevel.guest) continue;
    const { level, permissions: rolePermissions } = caller.admin ? atLevel(AccessLevel.admin) : membership;
    const levels = new Map<string, FeatureLevel>(FEATURES.map((name) => [name, project[`${name}_access_level`]]));
    const scope = {
      level,
      rolePermissions,
      signedIn: user !== null,
      external: user?.external === 1,
      deployScopes: [],
      visibility: project.visibility,
      frozen: isFrozen(project),
      featureLevel: (feature: string) => levels.get(feature) ?? 'disabled',
      publicJobs: () => true,
    };
    const rights = rightsOf({ level, can: (ability: ProjectAbility) => allowsInProject(scope, ability) });
    if (rights !== null) byProject.set(project.id, rights);
  }
  return byProject;
}
