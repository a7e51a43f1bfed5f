import type { Deps } from '../deps.ts';
import { CommitError, splitPath } from '../git/commits/index.ts';
import { decodeBytes } from '../git/common/index.ts';
import { readRecords } from '../git/process/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { listTree } from '../git/trees/index.ts';
import type { RefObserver } from './ref-observers.ts';

/** The only branch of a snippet. */
export const SNIPPET_BRANCH = 'main';
export const SNIPPET_REF = `refs/heads/${SNIPPET_BRANCH}`;
const MAX_FILES = 10;
/** Maximum number of folders and files examined, so that no pushed tree takes long. */
const MAX_ENTRIES = 1_000;
const MAX_RECORD = 8_192;
const PUSH_CHECK_MS = 10_000;

/** Returns the platform's refusal for a number of files, or null. */
export function refuseFileCount(count: number): string | null {
  if (count === 0) return 'The repository must contain at least 1 file.';
  return count > MAX_FILES ? `The repository can contain at most ${MAX_FILES} file(s).` : null;
}

/**
 * Paths of a snippet's files, including symbolic links, in git's order; at most one more than the limit.
 * @param oid a commit or tree
 */
export async function snippetFiles(repo: Repository, oid: string): Promise<string[]> {
  const paths: string[] = [];
  let entries = 0;
  for await (const { type, path } of listTree(repo, oid, '', { recursive: true })) {
    entries += 1;
    if (type === 'blob') paths.push(path);
    if (paths.length > MAX_FILES || entries > MAX_ENTRIES) break;
  }
  return paths;
}

/**
 * Returns the refusal of the files of a pushed commit, or null.
 * @param env environment in which git sees the pushed objects
 * @param maxBytes maximum size of a file
 * @throws GitError
 */
export async function refusePushedFiles(
  repo: Repository,
  oid: string,
  env: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<string | null> {
  let entries = 0;
  let files = 0;
  let problem: string | null = null;
  const options = { gitDir: repo.dir, env, separator: 0, maxRecord: MAX_RECORD, cpuMs: PUSH_CHECK_MS };
  const args = ['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', '--end-of-options', oid];
  await readRecords(args, options, (record, length) => {
    entries += 1;
    const tab = record.indexOf(9);
    const [, type, , size] = record.toString('latin1', 0, tab).split(/ +/);
    if (type !== 'tree') {
      files += 1;
      problem = refuseFile(decodeBytes(record.subarray(tab + 1)), type!, Number(size), maxBytes);
      if (length > MAX_RECORD) problem = 'A path of the repository is too long.';
    }
    if (entries > MAX_ENTRIES) problem ??= 'The repository has too many folders.';
    return problem === null && files <= MAX_FILES;
  });
  return problem ?? refuseFileCount(files);
}

function refuseFile(path: string, type: string, size: number, maxBytes: number): string | null {
  if (type !== 'blob') return 'A snippet cannot contain submodules.';
  try {
    splitPath(path);
  } catch (error) {
    if (error instanceof CommitError) return error.message.toWellFormed();
    throw error;
  }
  return size > maxBytes ? `The file ${path} is larger than ${maxBytes} bytes.` : null;
}

/** Updates the file names of a snippet in the transaction of each change, together with other changes of the update. */
export const recordSnippetChange =
  (deps: Deps): RefObserver =>
  async (repo, { holder, updates, cause, userId }) => {
    const oid = updates.find(({ ref }) => ref === SNIPPET_REF)?.new;
    if (!oid) return null;
    const file_names = JSON.stringify(await snippetFiles(repo, oid));
    return async (db) => {
      // The change has locked the row: if another writer has moved the branch on, it has yet to write its own names.
      const names = (await repo.refs.resolve(SNIPPET_REF)) === oid ? { file_names } : {};
      const changes = { ...names, ...(cause?.type === 'snippet_update' ? cause.changes : {}) };
      if (Object.keys(changes).length === 0) return;
      const row = await db
        .updateTable('snippets')
        .set(changes)
        .where('id', '=', holder.id)
        .returning(['id', 'project_id'])
        .executeTakeFirst();
      if (row === undefined || cause?.type !== 'snippet_update') return;
      const { id, project_id } = row;
      const about = { projectId: project_id, actorId: userId };
      await deps.events.record(db, 'snippet.updated', { snippet_id: id, project_id }, about);
    };
  };
