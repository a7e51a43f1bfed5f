import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import type { OpenObject } from './lfs-archive.ts';

/** Gives the LFS objects of a project; undefined where it has none. */
export async function lfsObjectsOf(deps: Deps, { id }: Project): Promise<OpenObject | undefined> {
  const objects = deps.db.selectFrom('lfs_objects').select('size').where('project_id', '=', id);
  if ((await objects.limit(1).executeTakeFirst()) === undefined) return undefined;
  return async (oid, size) => {
    const row = await objects.where('oid', '=', oid).executeTakeFirst();
    // Another project's object is none of this one's, whoever knows its name.
    return row?.size === size ? deps.blobs.get(oid) : null;
  };
}
