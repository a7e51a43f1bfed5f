import { projectsOf } from '../../../access/access.membership.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { DeployKey } from '../../../db/tables/deploy-keys.table.ts';
import { fullNames } from '../groups/groups.views.ts';
import type { ProjectIdentity } from './deploy-keys.responses.ts';

/** A deploy key with its rights in one project. */
export type KeyInProject = DeployKey & { can_push: 0 | 1 };

/** Query for the deploy keys of a project, oldest first. */
export const keysOfProject = (db: Db, projectId: number) =>
  db
    .selectFrom('deploy_keys')
    .innerJoin('deploy_key_projects as p', 'p.deploy_key_id', 'deploy_keys.id')
    .selectAll('deploy_keys')
    .select('p.can_push')
    .where('p.project_id', '=', projectId)
    .orderBy('deploy_keys.id');

/** Query for all deploy keys, oldest first; optionally only public or only private ones. */
export function allKeys(db: Db, isPublic?: boolean) {
  const query = db.selectFrom('deploy_keys').selectAll().orderBy('id');
  return isPublic === undefined ? query : query.where('public', '=', bit(isPublic));
}

/** Query for the deploy keys that a user may enable: public ones, and those of projects where they are Maintainer. */
export function accessibleKeys(db: Db, userId: number, day: string) {
  return db
    .selectFrom('deploy_keys')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('public', '=', 1),
        eb(
          'id',
          'in',
          eb
            .selectFrom('deploy_key_projects')
            .select('deploy_key_id')
            .where('project_id', 'in', projectsOf(userId, AccessLevel.maintainer, day)),
        ),
      ]),
    );
}

/** Whether any key of a user or for deployment has the fingerprint. */
export async function isFingerprintTaken(db: Db, fingerprint: string): Promise<boolean> {
  const deployKey = await db
    .selectFrom('deploy_keys')
    .select('id')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (deployKey !== undefined) return true;
  const key = await db.selectFrom('ssh_keys').select('id').where('fingerprint', '=', fingerprint).executeTakeFirst();
  return key !== undefined;
}

/** Loads the projects that use the keys, by key and by write access, with three queries. */
export async function projectsOfKeys(
  db: Db,
  keyIds: readonly number[],
): Promise<Map<number, { write: ProjectIdentity[]; read: ProjectIdentity[] }>> {
  const uses = new Map(keyIds.map((id) => [id, { write: [] as ProjectIdentity[], read: [] as ProjectIdentity[] }]));
  if (keyIds.length === 0) return uses;
  const rows = await db
    .selectFrom('deploy_key_projects as k')
    .innerJoin('projects as p', 'p.id', 'k.project_id')
    .select(['k.deploy_key_id', 'k.can_push', 'p.id', 'p.description', 'p.name', 'p.path', 'p.full_path'])
    .select(['p.created_at', 'p.namespace_id'])
    .where('k.deploy_key_id', 'in', keyIds)
    .orderBy('p.id')
    .execute();
  const namespaces = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', rows.length === 0 ? [0] : [...new Set(rows.map(({ namespace_id }) => namespace_id))])
    .execute();
  const names = await fullNames(db, namespaces);
  for (const { deploy_key_id, can_push, full_path, namespace_id, ...project } of rows) {
    const identity = {
      ...project,
      name_with_namespace: `${names.get(namespace_id) ?? ''} / ${project.name}`,
      path_with_namespace: full_path,
    };
    uses.get(deploy_key_id)![can_push === 1 ? 'write' : 'read'].push(identity);
  }
  return uses;
}
