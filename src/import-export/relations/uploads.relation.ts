import { inBatches } from '../../db/in-batches.ts';
import { storedFile } from './bundles.relation.ts';
import { type FileRelation, PAGE } from './relation.ts';

/** Uploads by secret, and the avatar of the group or project. */
export const uploads: FileRelation = {
  form: 'files',
  name: 'uploads',
  async *files(exporting) {
    const { deps, db, portable, names } = exporting;
    const { avatar } = portable.kind === 'group' ? portable.group : portable.project;
    const [sha256 = '', picture] = avatar?.split('/') ?? [];
    const stored = picture === undefined ? null : await deps.blobs.stat(sha256);
    if (stored !== null) yield storedFile(deps, `avatar/${picture}`, sha256, stored.size);
    const uploads = db.selectFrom('uploads').selectAll().where(`${portable.kind}_id`, '=', portable.id);
    for await (const page of inBatches(uploads, PAGE, 'id')) {
      for (const { secret, filename, sha256, size, uploaded_by_id } of page) {
        names(uploaded_by_id);
        yield storedFile(deps, `${secret}/${filename}`, sha256, size);
      }
    }
  },
};
