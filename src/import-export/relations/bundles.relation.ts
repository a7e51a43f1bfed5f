import { createHash } from 'node:crypto';
import { inBatches } from '../../db/in-batches.ts';
import type { Deps } from '../../deps.ts';
import { gitOutput } from '../../git/process/index.ts';
import { locationOf } from '../../repositories/holder.ts';
import { findWiki } from '../../repositories/repository.wikis.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { type ArchivedFile, type Exporting, type FileRelation, PAGE } from './relation.ts';

const BUNDLE_MS = 3_600_000;

/** File name of the bundle of a snippet, derived from its id in `snippets`. */
export const snippetBundle = (id: number): string =>
  `snippets/${createHash('sha256').update(String(id)).digest('hex')}.bundle`;

/** A file of the blob store. */
export const storedFile = (deps: Deps, name: string, sha256: string, size: number): ArchivedFile => ({
  name,
  size,
  open: async () => {
    const content = await deps.blobs.get(sha256);
    if (content === null) throw new Error(`the content of ${name} no longer exists`);
    return content;
  },
});

/** Branches and tags of a repository as a bundle; nothing for an empty repository. */
async function* bundleOf(
  { deps, signal }: Exporting,
  name: string,
  row: Parameters<typeof locationOf>[0],
): AsyncGenerator<ArchivedFile> {
  const repo = deps.storages.open(locationOf(row));
  const refs = [...(await repo.refs.list('refs/heads/')), ...(await repo.refs.list('refs/tags/'))];
  if (refs.length === 0) return;
  const args = ['bundle', 'create', '--quiet', '-', '--branches', '--tags'];
  const bundle = gitOutput(args, { gitDir: repo.dir, signal, cpuMs: BUNDLE_MS });
  // Tar headers contain the size, so the bundle is written first.
  const { sha256, size } = await deps.blobs.put(bundle, { maxBytes: Number.MAX_SAFE_INTEGER });
  try {
    yield storedFile(deps, name, sha256, size);
  } finally {
    await enqueueBlobRemoval(deps, deps.db, [sha256]);
  }
}

/** The bundle of the repository of a project. */
export const repository: FileRelation = {
  form: 'files',
  name: 'repository',
  async *files(exporting) {
    const { portable } = exporting;
    if (portable.kind === 'project') yield* bundleOf(exporting, 'project.bundle', portable.project);
  },
};

/** The bundles of the wiki of a project, and of its snippets. */
export async function* otherBundles(exporting: Exporting): AsyncGenerator<ArchivedFile> {
  const { db, portable } = exporting;
  const wiki = await findWiki(db, { type: portable.kind, id: portable.id });
  if (wiki !== undefined) yield* bundleOf(exporting, 'project.wiki.bundle', wiki);
  const snippets = db
    .selectFrom('snippets')
    .select(['id', 'repository_storage', 'disk_path'])
    .where('project_id', '=', portable.id);
  for await (const page of inBatches(snippets, PAGE, 'id')) {
    for (const snippet of page) yield* bundleOf(exporting, snippetBundle(snippet.id), snippet);
  }
}
