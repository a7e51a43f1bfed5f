import { sql } from 'kysely';
import { lineageIds } from '../access/access.membership.ts';
import type { Caller } from '../access/caller.ts';
import { type ProjectPermissions, projectPermissions } from '../access/permissions.ts';
import { pluck } from '../core/pluck.ts';
import { asciiLower } from '../db/like.ts';
import { rowsById } from '../db/rows-by-id.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';

/** Maximum number of projects whose objects one text can lead to. */
const MAX_PROJECTS = 30;

/** The project that a text belongs to, with its namespace; nulls for a text of none. */
export type TextHome =
  | { project: Project; namespace: Pick<Namespace, 'lineage' | 'owner_id'> }
  | { project: null; namespace: null };

/** A project that the reader may see. */
export interface MentionPlace {
  project: Project;
  /** Ids of the groups above it. */
  groups: number[];
  permissions: ProjectPermissions;
}

/** The projects that mentions name, by the paths as written (the empty one is that of the text), if the reader sees them. */
export async function placesOf(
  deps: Deps,
  reader: Caller,
  home: TextHome,
  written: Iterable<string | null>,
): Promise<Map<string, MentionPlace>> {
  const paths = new Map<string, string>();
  for (const path of written) {
    const full = fullPath(home, path);
    if (full !== undefined && paths.size < MAX_PROJECTS) paths.set(path ?? '', asciiLower(full));
  }
  const others = [...new Set(paths.values())].filter((path) => path !== asciiLower(home.project?.full_path ?? ''));
  const found = others.length === 0 ? [] : await projectsOf(deps, others);
  const projects = home.project === null ? found : [home.project, ...found];
  const namespaces = await rowsById(deps.db, 'namespaces', pluck(found, 'namespace_id'), ['lineage', 'owner_id']);
  const places = new Map<string, MentionPlace>();
  for (const project of projects) {
    const namespace = project === home.project ? home.namespace : namespaces.get(project.namespace_id);
    if (namespace === null || namespace === undefined) continue;
    const permissions = await projectPermissions(deps, reader, project, namespace);
    if (!permissions.can('read_project')) continue;
    places.set(asciiLower(project.full_path), { project, groups: lineageIds(namespace.lineage), permissions });
  }
  return new Map(
    [...paths].flatMap(([path, full]) => {
      const place = places.get(full);
      return place === undefined ? [] : [[path, place]];
    }),
  );
}

function fullPath({ project }: TextHome, written: string | null): string | undefined {
  if (written === null) return project?.full_path;
  if (written.includes('/') || project === null) return written;
  return project.full_path.slice(0, project.full_path.lastIndexOf('/') + 1) + written;
}

const projectsOf = ({ db }: Deps, paths: readonly string[]): Promise<Project[]> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('pending_delete', '=', 0)
    .where(sql<string>`lower(full_path)`, 'in', paths)
    .execute();
