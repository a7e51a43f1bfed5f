import { hash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { ApiError, badRequest, notFound } from '../../../core/errors.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { blame } from '../../../git/blame.ts';
import { contentSha256 } from '../../../git/content-sha256.ts';
import { lastCommitOf } from '../../../git/last-commit.ts';
import type { TreeEntry } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { entryAt } from '../../../git/tree.ts';
import type { FixedAnswer } from '../../../http/answers.ts';
import { metadataHeaders } from '../../../http/headers.ts';
import type { Serialized } from '../../../http/send.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitDate } from '../commits/views.ts';
import { filePath } from './paths.ts';

/** A blob larger than this is rarely asked for as JSON: part 1, section 8.3 limits how often. */
const LARGE_BLOB = 10 * 1024 * 1024;
/** The most that is turned into one JSON answer; larger files are had from `raw`. */
const MAX_JSON_BLOB = 100 * 1024 * 1024;

/** A path at a commit; whether there is a file is not known yet. */
export interface FilePlace {
  repo: Repository;
  /** The commit that was meant. */
  commit: string;
  path: string;
  /** The name the client gave for the commit. */
  ref: string;
}

export interface FoundFile extends FilePlace {
  entry: TreeEntry;
}

/**
 * A path at a branch, tag or commit.
 * @throws ApiError 404 `404 Commit Not Found`
 */
export async function placeOf(deps: Deps, project: Project, path: string, ref: string): Promise<FilePlace> {
  const file = filePath(path);
  const repo = repositoryOf(deps, project);
  const revision = await resolveRevision(repo, ref);
  if (revision === null) throw notFound('Commit');
  return { repo, commit: revision.oid, path: file, ref };
}

/** The file at a place. @throws ApiError 404 `404 File Not Found` */
export async function fileAt(place: FilePlace): Promise<FoundFile> {
  const entry = await entryAt(place.repo, place.commit, place.path);
  if (entry === null || entry.type !== 'blob') throw notFound('File');
  return { ...place, entry };
}

async function metadataOf(file: FoundFile, size: number, sha256: string) {
  return {
    file_name: basename(file.path),
    file_path: file.path,
    size,
    encoding: 'base64',
    content_sha256: sha256,
    ref: file.ref,
    blob_id: file.entry.oid,
    commit_id: file.commit,
    last_commit_id: (await lastCommitOf(file.repo, file.commit, file.path)) ?? file.commit,
    execute_filemode: file.entry.mode === '100755',
  };
}

/** Bytes, text, JSON and what is sent, beside each other. */
const MEMORY_FACTOR = 5;
/** Files up to here are read without asking for memory. */
const SMALL_BLOB = 1024 * 1024;

/** Counts requests for large blobs, and the memory that they take. */
export interface LargeBlobLimit {
  /** @throws ApiError 429 */
  check(): void;
  /** @throws ApiError 429, 503 */
  hold(bytes: number): Promise<void>;
}

/** The file with its content in Base64 and its metadata as headers; kept, since it is a function of object ids. */
export async function readFile(deps: Deps, place: FilePlace, limit: LargeBlobLimit): Promise<FixedAnswer> {
  const key = `file:${place.repo.id}:${place.commit}:${place.ref}:${place.path}`;
  const kept = deps.answers.peek(key);
  if (kept !== undefined) {
    if (Number(kept.headers['x-svc-size']) > LARGE_BLOB) limit.check();
    return kept;
  }
  const file = await fileAt(place);
  const info = await file.repo.objects.info(file.entry.oid);
  if (info === null) throw notFound('File');
  if (info.size > LARGE_BLOB) limit.check();
  if (info.size > MAX_JSON_BLOB) {
    throw new ApiError(413, '413 Request Entity Too Large - the file is too large for this answer; get it from /raw');
  }
  if (info.size > SMALL_BLOB) await limit.hold(info.size * MEMORY_FACTOR);
  const blob = await file.repo.objects.read(file.entry.oid, MAX_JSON_BLOB);
  const data = blob?.data;
  if (!data) throw notFound('File');
  const metadata = await metadataOf(file, data.length, hash('sha256', data));
  return deps.answers.keep(key, { ...metadata, content: data.toString('base64') }, metadataHeaders(metadata));
}

/** The metadata of a file as headers; of its content only the digest is made. @throws ApiError 404 */
export async function readFileHeaders(place: FilePlace): Promise<Record<string, string>> {
  const file = await fileAt(place);
  const info = await file.repo.objects.info(file.entry.oid);
  if (info === null) throw notFound('File');
  return fileHeaders(file, info.size, await contentSha256(file.repo, info.oid));
}

/**
 * What the headers of a file say.
 * @param size bytes of what is sent, which may be the LFS object of a pointer
 * @param sha256 of what is sent
 */
export async function fileHeaders(file: FoundFile, size: number, sha256: string): Promise<Record<string, string>> {
  return metadataHeaders(await metadataOf(file, size, sha256));
}

export interface LineRange {
  start: number;
  end: number;
}

/** Who changed which lines (part 1, section 4.1). */
export async function blameFile(deps: Deps, place: FilePlace, range: LineRange | undefined): Promise<Serialized> {
  if (range !== undefined && range.start > range.end) {
    throw badRequest('range[start] must be less than or equal to range[end]');
  }
  const lines = range === undefined ? '' : `${range.start},${range.end}`;
  return deps.answers.get(`blame:${place.repo.id}:${place.commit}:${lines}:${place.path}`, async () => {
    const file = await fileAt(place);
    const { ranges, commits } = await blame(file.repo, file.commit, file.path, range);
    return ranges.map(({ oid, lines }) => {
      const commit = commits.get(oid)!;
      return {
        commit: {
          id: oid,
          parent_ids: [...commit.parents],
          message: commit.message,
          authored_date: commitDate(commit.author),
          author_name: commit.author.name,
          author_email: commit.author.email,
          committed_date: commitDate(commit.committer),
          committer_name: commit.committer.name,
          committer_email: commit.committer.email,
        },
        lines,
      };
    });
  });
}
