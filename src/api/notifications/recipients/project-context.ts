import { lineageIds } from '../../../access/access.membership.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

/** The project of an event. */
export interface ProjectContext {
  project: Project;
  namespace: Namespace;
  /** Ids of its ancestor groups, nearest first. */
  groupIds: number[];
  /** Whether the project or an ancestor group has mails disabled. */
  mailsDisabled: boolean;
}

/** Loads a project by id; undefined if it is deleted or being deleted. */
export async function projectContextOf(db: Db, projectId: number): Promise<ProjectContext | undefined> {
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
    mailsDisabled: [project, ...above].some(hasMailsDisabled),
  };
}

/** Whether a project or group has mails disabled. */
export const hasMailsDisabled = ({ settings }: Pick<Project, 'settings'>): boolean =>
  parseJson<{ emails_enabled?: boolean }>(settings).emails_enabled === false;
