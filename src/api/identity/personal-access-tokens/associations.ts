import { Type } from 'typebox';
import { groupsOf, projectsOf } from '../../../access/access.membership.ts';
import { today } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import { type PageRange, pageOf } from '../../../db/paginate.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { type Levels, levelsOf } from './personal-access-tokens.levels.ts';

const AssociatedGroup = Type.Object({
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  parent_id: Nullable(Type.Integer()),
  organization_id: Type.Integer(),
  access_levels: Type.Integer(),
  visibility: Type.String(),
});

const AssociatedProject = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
  access_levels: Type.Object({
    project_access_level: Nullable(Type.Integer()),
    group_access_level: Nullable(Type.Integer()),
  }),
  visibility: Type.String(),
  web_url: Type.String(),
  namespace: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    kind: Type.String(),
    full_path: Type.String(),
    parent_id: Nullable(Type.Integer()),
    avatar_url: Type.Null(),
    web_url: Type.String(),
  }),
});

/** Groups and projects of the user of a token. */
export const Associations = Type.Object({
  groups: Type.Array(AssociatedGroup),
  projects: Type.Array(AssociatedProject),
});

/** A page of groups and a page of projects in which the user has at least the access level. */
export async function associationsOf(deps: Deps, userId: number, minLevel: number, page: PageRange) {
  const { db } = deps;
  const day = today(deps.clock);
  const groups = await pageOf(
    db,
    db
      .selectFrom('namespaces')
      .selectAll()
      .where('id', 'in', groupsOf(userId, minLevel, day))
      .orderBy('id'),
    page,
  );
  const projects = await pageOf(
    db,
    db
      .selectFrom('projects')
      .selectAll()
      .where('id', 'in', projectsOf(userId, minLevel, day))
      .where('pending_delete', '=', 0)
      .orderBy('id'),
    page,
  );
  const homes = await rowsById(deps.db, 'namespaces', pluck(projects.rows, 'namespace_id'));
  const levels = await levelsOf(db, userId, day, [...groups.rows, ...homes.values()], projects.rows);
  const rows = {
    groups: groups.rows.map((group) => presentGroup(deps, group, levels)),
    projects: projects.rows.map((project) => presentProject(deps, project, homes.get(project.namespace_id)!, levels)),
  };
  return { rows, total: Math.max(groups.total, projects.total) };
}

const webUrl = (deps: Deps, { kind, full_path }: Namespace): string =>
  `${deps.externalUrl()}/${kind === 'group' ? 'groups/' : ''}${full_path}`;

const presentGroup = (deps: Deps, group: Namespace, levels: Levels) => ({
  id: group.id,
  web_url: webUrl(deps, group),
  name: group.name,
  parent_id: group.parent_id,
  organization_id: 1,
  access_levels: levels.group(group) ?? 0,
  visibility: group.visibility,
});

const presentProject = (deps: Deps, project: Project, namespace: Namespace, levels: Levels) => ({
  id: project.id,
  description: project.description,
  name: project.name,
  name_with_namespace: `${namespace.name} / ${project.name}`,
  path: project.path,
  path_with_namespace: project.full_path,
  created_at: project.created_at,
  access_levels: {
    project_access_level: levels.project(project, namespace),
    group_access_level: levels.group(namespace),
  },
  visibility: project.visibility,
  web_url: `${deps.externalUrl()}/${project.full_path}`,
  namespace: {
    id: namespace.id,
    name: namespace.name,
    path: namespace.path,
    kind: namespace.kind,
    full_path: namespace.full_path,
    parent_id: namespace.parent_id,
    avatar_url: null,
    web_url: webUrl(deps, namespace),
  },
});
