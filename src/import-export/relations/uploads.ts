import { type ArchivedFile, type Exporting, type FileRelation, PAGE } from './relation.ts';

const fileOf = ({ deps }: Exporting, name: string, sha256: string, size: number): ArchivedFile => ({
  name,
  size,
  open: async () => {
    const content = await deps.blobs.get(sha256);
    if (content === null) throw new Error(`the bytes of ${name} are gone`);
    return content;
  },
});

/** Files that texts refer to, by their secrets, and the picture of the group or project. */
export const uploads: FileRelation = {
  form: 'files',
  name: 'uploads',
  async *files(exporting) {
    const { deps, db, portable, names } = exporting;
    const { avatar } = portable.kind === 'group' ? portable.group : portable.project;
    const [sha256 = '', picture] = avatar?.split('/') ?? [];
    const stored = picture === undefined ? null : await deps.blobs.stat(sha256);
    if (stored !== null) yield fileOf(exporting, `avatar/${picture}`, sha256, stored.size);
    for (let after = 0; ; ) {
      const page = await db
        .selectFrom('uploads')
        .selectAll()
        .where(`${portable.kind}_id`, '=', portable.id)
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE)
        .execute();
      for (const { secret, filename, sha256, size, uploaded_by_id } of page) {
        names(uploaded_by_id);
        yield fileOf(exporting, `${secret}/${filename}`, sha256, size);
      }
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  },
};
