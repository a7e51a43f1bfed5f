import { projectOfId } from '../../../access/find-by-id.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { type ProjectPermissions, projectPermissions } from '../../../access/permissions.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';

/** A project with its namespace: scope of references without a path. */
export interface ReferenceScope {
  project: Project;
  namespace: Namespace;
}

/** Source of references: an object with a text. */
export type Source = {
  /** Null for personal snippets. */
  home: ReferenceScope | null;
  iid: number | null;
} & ({ type: NoteableType; id: number } | { type: 'Commit'; id: null; sha: string });

/** Loads a project by id; undefined if it is deleted or being deleted. */
export async function referenceScopeOf(deps: Deps, db: Db, projectId: number): Promise<ReferenceScope | undefined> {
  const [project] = await projectOfId(db, { id: projectId });
  const namespace = project && (await findNamespace(deps, String(project.namespace_id)));
  return project && namespace && { project, namespace };
}

/** Key of a source, unique per object, so that it is recorded once. */
export const keyOf = (source: Source): string =>
  source.type === 'Commit' ? `Commit:${source.home!.project.id}:${source.sha}` : `${source.type}:${source.id}`;

/** Describes the source in a system note, with its project path unless the reader is in the same project. */
export function describe(source: Source, readerProjectId: number): string {
  const { home: scope } = source;
  const path = scope === null || scope.project.id === readerProjectId ? '' : scope.project.full_path;
  switch (source.type) {
    case 'Issue':
      return `issue ${path}#${source.iid}`;
    case 'MergeRequest':
      return `merge request ${path}!${source.iid}`;
    case 'Snippet':
      return `snippet ${path}$${source.id}`;
    case 'Commit':
      return `commit ${path === '' ? '' : `${path}@`}${source.sha}`;
  }
}

/** Permissions of the viewer in the home project. */
export const permissionsIn = (
  deps: Deps,
  viewer: Parameters<typeof projectPermissions>[1],
  { project, namespace }: ReferenceScope,
): Promise<ProjectPermissions> => projectPermissions(deps, viewer, project, namespace);
