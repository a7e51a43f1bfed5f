import { hash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { bufferOver } from '../../../git/common/index.ts';
import { type ContentForm, FILE_AT, type FileAtCommit, lastCommitOf } from '../../../git/history/index.ts';
import type { TreeEntry } from '../../../git/objects/index.ts';
import { ask, type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { type ContentDigest, contentDigest, entryAt } from '../../../git/trees/index.ts';
import { metadataHeaders } from '../../../http/http.headers.ts';
import { jsonHeaders, Serialized } from '../../../http/http.send.ts';
import type { CachedResponse } from '../../../http/immutable-responses.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { filePath } from './repository-files.paths.ts';

/** Larger blobs are rate-limited as JSON (part 1, section 8.3). */
const LARGE_BLOB = 10 * 1024 * 1024;
/** Maximum size of a file as JSON; larger files are available from `raw`. */
const MAX_JSON_BLOB = 100 * 1024 * 1024;

/** A path at a commit; the file may not exist. */
export interface FileLocation {
  repo: Repository;
  /** Id of the commit. */
  commit: string;
  path: string;
  /** Name of the commit in the request. */
  ref: string;
}

export interface ResolvedFile extends FileLocation {
  entry: TreeEntry;
}

/** Resolves a path at a branch, tag or commit. @throws ApiError 404 `404 Commit Not Found` */
export async function locateFile(deps: Deps, project: Project, path: string, ref: string): Promise<FileLocation> {
  const file = filePath(path);
  const repo = repositoryOf(deps, project);
  const revision = await resolveRevision(repo, ref);
  if (revision === null) throw notFound('Commit');
  return { repo, commit: revision.oid, path: file, ref };
}

/** Returns the file at a location. @throws ApiError 404 `404 File Not Found` */
export async function fileAt(location: FileLocation): Promise<ResolvedFile> {
  const entry = await entryAt(location.repo, location.commit, location.path);
  if (entry === null || entry.type !== 'blob') throw notFound('File');
  return { ...location, entry };
}

function metadataOf(file: ResolvedFile, last: string | null, size: number, sha256: string) {
  return {
    file_name: basename(file.path),
    file_path: file.path,
    size,
    encoding: 'base64',
    content_sha256: sha256,
    ref: file.ref,
    blob_id: file.entry.oid,
    commit_id: file.commit,
    last_commit_id: last ?? file.commit,
    execute_filemode: file.entry.mode === '100755',
  };
}

/** Memory for bytes, text, JSON and response at the same time, per byte. */
const MEMORY_FACTOR = 5;
/** Files up to this size are read without reserving memory. */
const SMALL_BLOB = 1024 * 1024;

/** Limits the rate of requests for large blobs and their memory. */
export interface LargeBlobLimit {
  /** @throws ApiError 429 */
  check(): void;
  /** @throws ApiError 429, 503 */
  hold(bytes: number): Promise<void>;
}

/** The part of the response that depends on the blob only. */
interface Content extends ContentDigest {
  /** Base64-encoded. */
  base64: string | Buffer;
}

const BEFORE_CONTENT = ',"content":"';
const AFTER_CONTENT = '"}';

/**
 * Reads a file with Base64-encoded content, and its metadata for headers. Cached until the ref names another commit;
 * the part that depends on the blob is reused if the file is unchanged.
 */
export async function readFile(deps: Deps, location: FileLocation, limit: LargeBlobLimit): Promise<CachedResponse> {
  const key = `file:${location.repo.id}:${location.ref}\0${location.path}`;
  const cached = deps.immutableResponses.peek(key);
  if (cached !== undefined && commitOf(cached) === location.commit) {
    checkSize(Number(cached.headers['x-svc-size']), limit);
    return cached;
  }
  const answer = await askFor(location, 'base64', cached);
  const file = { ...location, entry: answer.entry };
  const content =
    contentOf(answer) ?? (cached && cachedContent(cached, file, limit)) ?? (await readContent(file, limit));
  const metadata = metadataOf(file, answer.last, content.size, content.sha256);
  const json = new Serialized(bodyOf(metadata, content.base64));
  const headers = metadataHeaders(metadata);
  return deps.immutableResponses.setBody(key, json, headers, { ...headers, ...jsonHeaders(json) });
}

/** Reads the metadata of a file whose content is cached. @throws ApiError 404 */
export async function askFor(
  { repo, commit, path }: FileLocation,
  form: ContentForm,
  cached: CachedResponse | undefined,
): Promise<FileAtCommit> {
  const file = await ask(repo, FILE_AT, commit, path, form, cached?.headers['x-svc-blob-id'] ?? null);
  if (file === null) throw notFound('File');
  return file;
}

const contentOf = ({ content, bytes }: FileAtCommit): Content | null =>
  content && bytes && { ...content, base64: bufferOver(bytes) };

/** Commit that a cached response was read at. */
export const commitOf = ({ headers }: CachedResponse): string | undefined => headers['x-svc-commit-id'];

/** Content digests of a cached response; undefined if the file has changed. */
export function digestIn({ headers }: CachedResponse, { entry }: ResolvedFile): ContentDigest | undefined {
  if (headers['x-svc-blob-id'] !== entry.oid) return undefined;
  return { size: Number(headers['x-svc-size']), sha256: headers['x-svc-content-sha256']! };
}

function cachedContent(cached: CachedResponse, file: ResolvedFile, limit: LargeBlobLimit): Content | undefined {
  const digest = digestIn(cached, file);
  if (digest === undefined) return undefined;
  checkSize(digest.size, limit);
  const { body } = cached.json;
  const base64 = 4 * Math.ceil(digest.size / 3);
  const end = body.length - AFTER_CONTENT.length;
  return { ...digest, base64: body.subarray(end - base64, end) };
}

async function readContent(file: ResolvedFile, limit: LargeBlobLimit): Promise<Content> {
  const { objects } = file.repo;
  const info = await objects.info(file.entry.oid);
  if (info === null) throw notFound('File');
  checkSize(info.size, limit);
  if (info.size > MAX_JSON_BLOB) {
    throw new ApiError(413, '413 Request Entity Too Large - the file is too large for this endpoint; get it from /raw');
  }
  if (info.size > SMALL_BLOB) await limit.hold(info.size * MEMORY_FACTOR);
  const blob = await objects.read(file.entry.oid, MAX_JSON_BLOB);
  const data = blob?.data;
  if (!data) throw notFound('File');
  return { size: data.length, sha256: hash('sha256', data), base64: data.toString('base64') };
}

/** Renders the JSON of a file in one pass: its content can be large. */
function bodyOf(metadata: object, base64: string | Buffer): Buffer {
  const start = `${JSON.stringify(metadata).slice(0, -1)}${BEFORE_CONTENT}`;
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(start) + base64.length + AFTER_CONTENT.length);
  const at = body.write(start);
  if (typeof base64 === 'string') body.write(base64, at, 'latin1');
  else body.set(base64, at);
  body.write(AFTER_CONTENT, at + base64.length);
  return body;
}

function checkSize(size: number, limit: LargeBlobLimit): void {
  if (size > LARGE_BLOB) limit.check();
}

/** Returns the metadata of a file as headers; of the content only the digest is computed. @throws ApiError 404 */
export async function readFileHeaders(location: FileLocation): Promise<Record<string, string>> {
  const file = await fileAt(location);
  const { repo, commit, path } = file;
  const last = await lastCommitOf(repo, commit, path);
  return fileHeaders(file, last, await contentDigest(repo, file.entry.oid));
}

/**
 * Metadata of a file as headers.
 * @param last latest commit that changed it
 * @param digest digest of the sent content, which may be the LFS object of a pointer
 */
export function fileHeaders(
  file: ResolvedFile,
  last: string | null,
  { size, sha256 }: ContentDigest,
): Record<string, string> {
  return metadataHeaders(metadataOf(file, last, size, sha256));
}
