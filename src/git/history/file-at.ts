import { hash } from 'node:crypto';
import { copyBytes, encodeUtf8 } from '../../core/detached-copy.ts';
import { lastChangeInGraph } from '../commit-graph/index.ts';
import type { TreeEntry } from '../objects/index.ts';
import { isEntryPath } from '../process/index.ts';
import type { Question, Repository } from '../repository/index.ts';
import { entryAt, pathEntryOf } from '../trees/index.ts';
import { lastCommitOf } from './last-commit.ts';

/** Larger blobs come without their content. */
export const MAX_CONTENT = 1024 * 1024;

/** Content of a blob with derived facts. */
export interface FileContent {
  /** Size in bytes. */
  size: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

export interface FileAtCommit {
  entry: TreeEntry;
  /** The newest commit that changed the path; null if there is none. */
  last: string | null;
  /** Null if the blob is already known or larger than `MAX_CONTENT`. */
  content: FileContent | null;
  /** The content in the requested form. */
  bytes: Uint8Array | null;
}

/** Requested form of a content: raw, or text in Base64. */
export type ContentForm = 'raw' | 'base64';

/**
 * Describes a file at a commit. Serves repository files.
 * @param path as for `entryAt`
 * @param known id of a blob whose content is not required again
 * @returns null if there is no such file
 * @throws GitError `corrupt` for a damaged repository
 */
async function readFileAt(
  repo: Repository,
  commit: string,
  path: string,
  form: ContentForm,
  known: string | null,
): Promise<FileAtCommit | null> {
  const lastChange = isEntryPath(path) ? await lastChangeInGraph(repo.history, commit, path) : undefined;
  const entry = lastChange?.state ? pathEntryOf(lastChange.state, path) : await entryAt(repo, commit, path);
  if (entry === null || entry.type !== 'blob') return null;
  const last = lastChange?.commit ?? (await lastCommitOf(repo, commit, path));
  const blob = entry.oid === known ? null : await repo.objects.read(entry.oid, MAX_CONTENT);
  const data = blob?.data ?? null;
  if (data === null) return { entry, last, content: null, bytes: null };
  const content = { size: data.length, sha256: hash('sha256', data) };
  return { entry, last, content, bytes: form === 'raw' ? copyBytes(data) : encodeUtf8(data.toString('base64')) };
}

/** Describes a file at a commit. Serves repository files. */
export const FILE_AT = { name: 'file', find: readFileAt } as const satisfies Question;
