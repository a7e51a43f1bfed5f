import type { Deps } from '../../../deps.ts';
import { bufferOver } from '../../../git/common/index.ts';
import { commitDiff, DEFAULT_DIFF_LIMITS, type FileDiff, nativeDiff, withDiffMemory } from '../../../git/diff/index.ts';
import { ask, type Question, type Repository } from '../../../git/repository/index.ts';
import { firstParentOf } from '../../../git/trees/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import { presentDiff } from './commits.diff-views.ts';

/** Which files to show, and how. */
interface Part {
  offset: number;
  size: number;
  unidiff: boolean;
}

interface DiffPage {
  /** Files as JSON. */
  bytes: Uint8Array;
  etag: string;
  /** Total number of files. */
  total: number;
}

function pageOf(files: readonly FileDiff[], { offset, size, unidiff }: Part): DiffPage {
  const shown = files.slice(offset, offset + size).map((file) => presentDiff(file, unidiff));
  const { body, etag } = Serialized.of(shown);
  return { bytes: body, etag, total: files.length };
}

/** @returns null if it takes git, which reader threads do not start */
async function readDiffPage(repo: Repository, oid: string, part: Part): Promise<DiffPage | null> {
  const parent = await firstParentOf(repo, oid);
  if (parent === undefined) return null;
  const diff = await nativeDiff(repo, parent, oid, DEFAULT_DIFF_LIMITS);
  return diff === null ? null : pageOf(diff.files, part);
}

/** Renders a page of the diff of a commit in the thread that reads it (part 1, section 2). */
export const DIFF_PAGE = { name: 'diff page', find: readDiffPage } as const satisfies Question;

/**
 * Returns a page of the diff of a commit. Cached, since it depends on ids only.
 * @returns its JSON, and the total number of files
 * @throws GitError as `commitDiff`
 */
export async function commitDiffPage(
  { immutableResponses: answers }: Deps,
  repo: Repository,
  oid: string,
  part: Part,
): Promise<{ rows: Serialized; total: number }> {
  const key = `diff:${repo.id}:${oid}:${part.unidiff}:${part.offset}:${part.size}`;
  const known = answers.peek(key);
  if (known !== undefined) return { rows: known.json, total: Number(known.headers.total) };
  const readPage = () => ask(repo, DIFF_PAGE, oid, part);
  const plain = await withDiffMemory(readPage, (page) => 2 * (page?.bytes.length ?? 0));
  const { bytes, etag, total } = plain ?? pageOf((await commitDiff(repo, oid, { onlyGit: true })).files, part);
  const { json } = answers.setBody(key, new Serialized(bufferOver(bytes), etag), { total: String(total) });
  return { rows: json, total };
}
