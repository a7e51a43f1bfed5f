import type { Caller } from '../../../access/caller.ts';
import { projectsOfIds } from '../../../access/find-by-id.ts';
import { projectPermissionsAt } from '../../../access/permissions.ts';
import { projectLevelsOf } from '../../../access/project-levels.ts';
import { atLevel, type EffectiveMembership } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import type { ReleaseContext } from '../releases/releases.views.ts';

/** Loads projects with the permissions of a user or anonymous caller, by id, with a fixed number of queries. */
export async function releaseContextsOf(
  { db, clock }: Deps,
  caller: Caller,
  projectIds: readonly number[],
): Promise<Map<number, ReleaseContext>> {
  const ids = [...new Set(projectIds)];
  if (ids.length === 0) return new Map();
  const projects = await projectsOfIds(db, { ids });
  const standingOf = await standingsIn(db, caller, projects, today(clock));
  return new Map(
    projects.map((project) => [
      project.id,
      { project, permissions: projectPermissionsAt(caller, project, standingOf(project.id)) },
    ]),
  );
}

async function standingsIn(
  db: Deps['db'],
  { user, admin }: Caller,
  projects: readonly ReleaseContext['project'][],
  day: string,
): Promise<(projectId: number) => EffectiveMembership> {
  if (admin) return () => atLevel(AccessLevel.admin);
  if (user === null) return () => atLevel(0);
  const standings = await projectLevelsOf(db, user.id, projects, day);
  return (projectId) => standings.get(projectId) ?? atLevel(0);
}
