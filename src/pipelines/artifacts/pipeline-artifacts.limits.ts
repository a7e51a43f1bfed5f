import { lineageIds } from '../../access/access.membership.ts';
import { ARTIFACT_TYPES, type ArtifactType, type ArtifactTypeName } from '../../ci/artifact-types.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';

const MEGABYTE = 1024 * 1024;

interface Limited {
  max_artifacts_size?: number | null;
}

/** Maximum artifact size of a project in bytes: set on the project, else on the nearest group, else on the instance. */
export async function maxArtifactBytes(deps: Deps, projectId: number): Promise<number> {
  const { db } = deps;
  const project = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.settings', 'namespaces.lineage'])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  if (project === undefined) return 0;
  const own = parseJson<Limited>(project.settings).max_artifacts_size ?? null;
  const configured = own ?? (await ofGroups(db, lineageIds(project.lineage)));
  return (configured ?? (await applicationSettings(deps)).max_artifacts_size) * MEGABYTE;
}

async function ofGroups(db: Db, ids: readonly number[]): Promise<number | null> {
  if (ids.length === 0) return null;
  const rows = await db.selectFrom('namespaces').select(['id', 'settings']).where('id', 'in', ids).execute();
  const limitByGroup = new Map(
    rows.map(({ id, settings }) => [id, parseJson<Limited>(settings).max_artifacts_size ?? null]),
  );
  for (const id of ids.toReversed()) {
    const size = limitByGroup.get(id) ?? null;
    if (size !== null) return size;
  }
  return null;
}

/** Maximum size of one type. @param max result of `maxArtifactBytes` */
export function maxBytesOf(type: ArtifactTypeName, max: number): number {
  const { maxMegabytes }: ArtifactType = ARTIFACT_TYPES[type];
  return Math.min(max, (maxMegabytes ?? Number.POSITIVE_INFINITY) * MEGABYTE);
}
