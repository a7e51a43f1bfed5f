import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { CountedPointer, LfsPointer } from '../../../git/trees/index.ts';
import type { OpenObject } from './lfs-archive.ts';

/** LFS objects of a project, for archives. */
export interface LfsObjects {
  /** Opens an object. */
  open: OpenObject;
  /** Total size of the objects of pointers, counting each occurrence in the tree. */
  bytesOf(pointers: readonly CountedPointer[]): Promise<number>;
}

const BATCH_SIZE = 500;

/** Returns the LFS objects of a project; undefined if it has none. */
export async function lfsObjectsOf(deps: Deps, { id }: Project): Promise<LfsObjects | undefined> {
  const objects = deps.db.selectFrom('lfs_objects').select('size').where('project_id', '=', id);
  if ((await objects.limit(1).executeTakeFirst()) === undefined) return undefined;
  /** An object of another project is not accessible by its id. */
  const isHere = async (pointers: readonly LfsPointer[]) => {
    const oids = pointers.map(({ oid }) => oid);
    const rows = await objects.select('oid').where('oid', 'in', oids).execute();
    const sizes = new Map(rows.map(({ oid, size }) => [oid, size]));
    return ({ oid, size }: LfsPointer) => sizes.get(oid) === size;
  };
  return {
    open: async (oid, size) => ((await isHere([{ oid, size }]))({ oid, size }) ? deps.blobs.get(oid) : null),
    bytesOf: async (pointers) => {
      let bytes = 0;
      for (let at = 0; at < pointers.length; at += BATCH_SIZE) {
        const some = pointers.slice(at, at + BATCH_SIZE);
        for (const { size, count } of some.filter(await isHere(some))) bytes += size * count;
      }
      return bytes;
    },
  };
}
