import { hash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { type ContentDigest, contentDigest } from '../../../git/content-digest.ts';
import { bufferOver } from '../../../git/git.bytes.ts';
import type { TreeEntry } from '../../../git/git.objects.ts';
import type { Repository } from '../../../git/git.repository.ts';
import { entryAt } from '../../../git/git.tree.ts';
import { lastCommitOf } from '../../../git/last-commit.ts';
import { ask } from '../../../git/readers/ask.ts';
import { type ContentForm, FILE_AT, type FileAtCommit } from '../../../git/readers/file-at.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { metadataHeaders } from '../../../http/http.headers.ts';
import { jsonHeaders, Serialized } from '../../../http/http.send.ts';
import type { CachedResponse } from '../../../http/immutable-responses.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { filePath } from './repository-files.paths.ts';

/** A blob larger than this is rarely asked for as JSON: part 1, section 8.3 limits how often. */
const LARGE_BLOB = 10 * 1024 * 1024;
/** The most that is turned into one JSON answer; larger files are had from `raw`. */
const MAX_JSON_BLOB = 100 * 1024 * 1024;

/** A path at a commit; whether there is a file is not known yet. */
export interface FileLocation {
  repo: Repository;
  /** The commit that was meant. */
  commit: string;
  path: string;
  /** The name the client gave for the commit. */
  ref: string;
}

export interface FoundFile extends FileLocation {
  entry: TreeEntry;
}

/**
 * A path at a branch, tag or commit.
 * @throws ApiError 404 `404 Commit Not Found`
 */
export async function locateFile(deps: Deps, project: Project, path: string, ref: string): Promise<FileLocation> {
  const file = filePath(path);
  const repo = repositoryOf(deps, project);
  const revision = await resolveRevision(repo, ref);
  if (revision === null) throw notFound('Commit');
  return { repo, commit: revision.oid, path: file, ref };
}

/** The file at a place. @throws ApiError 404 `404 File Not Found` */
export async function fileAt(location: FileLocation): Promise<FoundFile> {
  const entry = await entryAt(location.repo, location.commit, location.path);
  if (entry === null || entry.type !== 'blob') throw notFound('File');
  return { ...location, entry };
}

function metadataOf(file: FoundFile, last: string | null, size: number, sha256: string) {
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

/** What of a file's answer follows from its blob alone. */
interface Content extends ContentDigest {
  /** In Base64. */
  base64: string | Buffer;
}

const BEFORE_CONTENT = ',"content":"';
const AFTER_CONTENT = '"}';

/**
 * The file with its content in Base64 and its metadata as headers. Kept until the name stands for another commit; what the blob
 * decides of it is then used again where the path still holds that.
 */
export async function readFile(deps: Deps, location: FileLocation, limit: LargeBlobLimit): Promise<CachedResponse> {
  const key = `file:${location.repo.id}:${location.ref}\0${location.path}`;
  const kept = deps.immutableResponses.peek(key);
  if (kept !== undefined && commitOf(kept) === location.commit) {
    checkSize(Number(kept.headers['x-svc-size']), limit);
    return kept;
  }
  const found = await askFor(location, 'base64', kept);
  const file = { ...location, entry: found.entry };
  const content = contentOf(found) ?? (kept && keptContent(kept, file, limit)) ?? (await readContent(file, limit));
  const metadata = metadataOf(file, found.last, content.size, content.sha256);
  const json = new Serialized(bodyOf(metadata, content.base64));
  const headers = metadataHeaders(metadata);
  return deps.immutableResponses.setBody(key, json, headers, { ...headers, ...jsonHeaders(json) });
}

/** What is told of the file at a place, without the content that an answer holds already. @throws ApiError 404 */
export async function askFor(
  { repo, commit, path }: FileLocation,
  form: ContentForm,
  kept: CachedResponse | undefined,
): Promise<FileAtCommit> {
  const found = await ask(repo, FILE_AT, commit, path, form, kept?.headers['x-svc-blob-id'] ?? null);
  if (found === null) throw notFound('File');
  return found;
}

const contentOf = ({ content, bytes }: FileAtCommit): Content | null =>
  content && bytes && { ...content, base64: bufferOver(bytes) };

/** The commit that a kept answer was read at. */
export const commitOf = ({ headers }: CachedResponse): string | undefined => headers['x-svc-commit-id'];

/** What a kept answer tells of its content; undefined where that is not the one of the file. */
export function digestIn({ headers }: CachedResponse, { entry }: FoundFile): ContentDigest | undefined {
  if (headers['x-svc-blob-id'] !== entry.oid) return undefined;
  return { size: Number(headers['x-svc-size']), sha256: headers['x-svc-content-sha256']! };
}

function keptContent(kept: CachedResponse, file: FoundFile, limit: LargeBlobLimit): Content | undefined {
  const digest = digestIn(kept, file);
  if (digest === undefined) return undefined;
  checkSize(digest.size, limit);
  const { body } = kept.json;
  const base64 = 4 * Math.ceil(digest.size / 3);
  const end = body.length - AFTER_CONTENT.length;
  return { ...digest, base64: body.subarray(end - base64, end) };
}

async function readContent(file: FoundFile, limit: LargeBlobLimit): Promise<Content> {
  const { objects } = file.repo;
  const info = await objects.info(file.entry.oid);
  if (info === null) throw notFound('File');
  checkSize(info.size, limit);
  if (info.size > MAX_JSON_BLOB) {
    throw new ApiError(413, '413 Request Entity Too Large - the file is too large for this answer; get it from /raw');
  }
  if (info.size > SMALL_BLOB) await limit.hold(info.size * MEMORY_FACTOR);
  const blob = await objects.read(file.entry.oid, MAX_JSON_BLOB);
  const data = blob?.data;
  if (!data) throw notFound('File');
  return { size: data.length, sha256: hash('sha256', data), base64: data.toString('base64') };
}

/** The JSON of a file, written once: its content can be large. */
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

/** The metadata of a file as headers; of its content only the digest is made. @throws ApiError 404 */
export async function readFileHeaders(location: FileLocation): Promise<Record<string, string>> {
  const file = await fileAt(location);
  const { repo, commit, path } = file;
  const last = await lastCommitOf(repo, commit, path);
  return fileHeaders(file, last, await contentDigest(repo, file.entry.oid));
}

/**
 * What the headers of a file say.
 * @param last the newest commit that changed it
 * @param digest of what is sent, which may be the LFS object of a pointer
 */
export function fileHeaders(
  file: FoundFile,
  last: string | null,
  { size, sha256 }: ContentDigest,
): Record<string, string> {
  return metadataHeaders(metadataOf(file, last, size, sha256));
}
