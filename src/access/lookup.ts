import { sql } from 'kysely';
import { asciiLower } from '../db/like.ts';
import { prepared } from '../db/prepared.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { namespaceOfId, projectOfId } from './find-by-id.ts';

const isId = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

export interface ProjectWithNamespace {
  project: Project;
  namespace: Namespace;
}

const projectOfPath = prepared((db, { path }: { path: string }) =>
  db.selectFrom('projects').selectAll().where('pending_delete', '=', 0).where(sql<string>`lower(full_path)`, '=', path),
);

/** Finds a project by id or full path (part 1, section 1.2), with its namespace; undefined if there is none. */
export function findProject(deps: Deps, idOrPath: string): Promise<ProjectWithNamespace | undefined> {
  return deps.snapshot.get(`project:${asciiLower(idOrPath)}`, async () => {
    const [project] = await (isId(idOrPath)
      ? projectOfId(deps.db, { id: Number(idOrPath) })
      : projectOfPath(deps.db, { path: asciiLower(idOrPath) }));
    if (project === undefined) return undefined;
    const [namespace] = await namespaceOfId(deps.db, { id: project.namespace_id });
    return namespace && { project, namespace };
  });
}

/** Finds a group or personal namespace by id or full path; undefined if there is none. */
export function findNamespace(deps: Deps, idOrPath: string, kind?: 'group' | 'user'): Promise<Namespace | undefined> {
  return deps.snapshot.get(`namespace:${kind ?? ''}:${asciiLower(idOrPath)}`, async () => {
    let query = deps.db.selectFrom('namespaces').selectAll();
    if (kind !== undefined) query = query.where('kind', '=', kind);
    return (
      isId(idOrPath)
        ? query.where('id', '=', Number(idOrPath))
        : query.where(sql<string>`lower(full_path)`, '=', asciiLower(idOrPath))
    ).executeTakeFirst();
  });
}

/** Current full path of the project or group that formerly had a path; undefined if there is none. */
export async function findMoved(deps: Deps, path: string, type: 'project' | 'group'): Promise<string | undefined> {
  const route = await deps.db
    .selectFrom('redirect_routes')
    .select('source_id')
    .where('source_type', '=', type)
    .where(sql<string>`lower(path)`, '=', asciiLower(path))
    .executeTakeFirst();
  if (route === undefined) return undefined;
  const target =
    type === 'project'
      ? await deps.db.selectFrom('projects').select('full_path').where('id', '=', route.source_id).executeTakeFirst()
      : await deps.db.selectFrom('namespaces').select('full_path').where('id', '=', route.source_id).executeTakeFirst();
  return target?.full_path;
}
