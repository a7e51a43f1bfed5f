import { lineageIds } from '../../../access/membership.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Project } from '../../../db/tables/projects.ts';

/** A project, where something happened. */
export interface Place {
  project: Project;
  namespace: Namespace;
  /** Ids of the groups that it is in, the nearest first. */
  groupIds: number[];
  /** Whether the project, or a group above it, has no mails sent. */
  silent: boolean;
}

/** The project of an id; undefined when it is gone or going. */
export async function placeOf(db: Db, projectId: number): Promise<Place | undefined> {
  const query = db.selectFrom('projects').selectAll().where('id', '=', projectId).where('pending_delete', '=', 0);
  const project = await query.executeTakeFirst();
  if (project === undefined) return undefined;
  const namespaceId = project.namespace_id;
  const namespace = await db.selectFrom('namespaces').selectAll().where('id', '=', namespaceId).executeTakeFirst();
  if (namespace === undefined) return undefined;
  const above = await db
    .selectFrom('namespaces')
    .select(['id', 'kind', 'settings'])
    .where('id', 'in', lineageIds(namespace.lineage))
    .execute();
  const groups = new Set(above.filter(({ kind }) => kind === 'group').map(({ id }) => id));
  return {
    project,
    namespace,
    groupIds: lineageIds(namespace.lineage)
      .filter((id) => groups.has(id))
      .reverse(),
    silent: [project, ...above].some(isSilent),
  };
}

/** Whether settings of a project or group say that no mails are sent. */
export const isSilent = ({ settings }: Pick<Project, 'settings'>): boolean =>
  parseJson<{ emails_enabled?: boolean }>(settings).emails_enabled === false;
