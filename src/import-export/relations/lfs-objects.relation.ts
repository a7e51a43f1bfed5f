import { inBatches } from '../../db/in-batches.ts';
import { storedFile } from './bundles.relation.ts';
import { type FileRelation, PAGE } from './relation.ts';

/** Name of the file that maps LFS objects to repositories. */
export const LFS_INDEX = 'lfs_objects.json';

/** LFS objects of a project, by hash. */
export const lfsObjects: FileRelation = {
  form: 'files',
  name: 'lfs_objects',
  async *files({ deps, db, portable }) {
    const types: Record<string, number[]> = {};
    const objects = db.selectFrom('lfs_objects').select(['oid', 'size']).where('project_id', '=', portable.id);
    for await (const rows of inBatches(objects, PAGE, 'oid')) {
      for (const { oid, size } of rows) {
        types[oid] = [0];
        yield storedFile(deps, oid, oid, size);
      }
    }
    const bytes = Buffer.from(JSON.stringify(types));
    yield { name: LFS_INDEX, size: bytes.length, open: async () => bytes };
  },
};
