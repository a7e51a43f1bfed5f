import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkOids, decodeBytes, GitError } from '../common/index.ts';
import { COMPARE_CHILD_MEMORY, readRecords, runGit } from '../process/index.ts';
import { MAX_POINTER_BYTES, parsePointer } from '../trees/index.ts';
import { readQuarantined } from './quarantine-reader.ts';
import type { RepositoryPath } from './service.ts';

type Environment = Readonly<Record<string, string>>;
type GitOptions = { gitDir: string; env?: Environment; cpuMs: number; signal?: AbortSignal };

/** Minimum size of a pointer: two lines with a key, an address and a hash. */
const MIN_POINTER_BYTES = 110;
/** Maximum number of small files of one push that are examined, and number of them for one command. */
const MAX_CANDIDATES = 200_000;
const BATCH = 10_000;
const CPU_MS = 60_000;
const MAX_RECORD = 8_192;

/** An LFS pointer among the objects of a push. */
export interface PushedPointer {
  /** SHA-256 of the content it represents. */
  oid: string;
  /** Size of the content in bytes. */
  size: number;
  /** Object id of the pointer itself. */
  blob: string;
}

/** A search for the pointers of a quarantine, with the names of its packs when it began. */
interface Search {
  packs: string;
  pointers: Promise<PushedPointer[]>;
}

/** Searches that were begun while git checks the push, by the folder of the quarantine. */
const searches = new Map<string, Search>();

/**
 * Begins to search a large push for LFS pointers while git still checks it, for `pushedPointers`.
 * @param quarantine folder of a push whose pack is complete
 * @returns ends the search and forgets its result
 */
export async function searchPointers(repository: Pick<RepositoryPath, 'dir'>, quarantine: string): Promise<() => void> {
  const stop = new AbortController();
  const env = { GIT_OBJECT_DIRECTORY: quarantine, GIT_QUARANTINE_PATH: quarantine };
  const packs = await packsOf(quarantine);
  const pointers = pointersOfPack({ gitDir: repository.dir, env, cpuMs: CPU_MS, signal: stop.signal });
  pointers.catch(() => {});
  searches.set(quarantine, { packs, pointers });
  return () => {
    stop.abort();
    searches.delete(quarantine);
  };
}

const packsOf = async (quarantine: string): Promise<string> =>
  (await readdir(join(quarantine, 'pack')).catch(() => [])).toSorted().join();

/** The result of a search that was begun early, if it saw all objects. @throws GitError `timeout` */
async function earlyPointers(quarantine: string): Promise<PushedPointer[] | null> {
  const search = searches.get(quarantine);
  if (search === undefined || search.packs !== (await packsOf(quarantine))) return null;
  return await search.pointers.catch((error: unknown) => {
    // It would take as long once more.
    if (error instanceof GitError && error.code === 'timeout') throw error;
    return null;
  });
}

/**
 * LFS pointers among the objects of a push. For a large push, one git command finds small files, and one more reads
 * each batch of some thousand.
 * @param quarantineEnv environment of the quarantine; empty for a push without objects
 * @throws GitError `failed`, `timeout`
 */
export async function pushedPointers(repository: RepositoryPath, quarantineEnv: Environment): Promise<PushedPointer[]> {
  const { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH } = quarantineEnv;
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_QUARANTINE_PATH === undefined) return [];
  // Git may spell the folder in another way.
  const early = await earlyPointers(join(repository.dir, 'objects', basename(GIT_QUARANTINE_PATH)));
  if (early !== null) return early;
  const few: PushedPointer[] = [];
  const isRead = await readQuarantined(GIT_QUARANTINE_PATH, MAX_POINTER_BYTES, (blob, { type, data }) => {
    const pointer = type === 'blob' && data !== null && isPointerSize(data.length) ? parsePointer(data) : null;
    if (pointer !== null) few.push({ ...pointer, blob });
  });
  if (isRead) return few;
  // Without the alternates, git sees only the pushed objects.
  const env = { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH };
  return pointersOfPack({ gitDir: repository.dir, env, cpuMs: CPU_MS });
}

/** Pointers among all objects that git sees. */
async function pointersOfPack(options: GitOptions): Promise<PushedPointer[]> {
  const candidates: string[] = [];
  const list = [
    'cat-file',
    '--batch-all-objects',
    '--unordered',
    '--batch-check=%(objectname) %(objecttype) %(objectsize)',
  ];
  await readRecords(list, options, (record) => {
    const oid = candidateOf(record);
    if (oid !== null) candidates.push(oid);
    return candidates.length < MAX_CANDIDATES;
  });
  return readPointers(candidates, options);
}

/** A range of history. */
export interface HistoryRange {
  /** Complete ids of commits or tags; missing ones are ignored. */
  tips: readonly string[];
  /** Ids whose history is excluded, in the same form. */
  known: readonly string[];
}

/**
 * LFS pointers in all versions of files in a range of commits: one git command, and one more for each batch of some
 * thousand small files.
 * @param signal aborts it
 * @param cpuMs processor time of each command
 * @throws GitError `invalid`, `failed`, `timeout`, `aborted`
 */
export async function pointersBetween(
  repository: Pick<RepositoryPath, 'dir'>,
  { tips, known }: HistoryRange,
  { signal, cpuMs = CPU_MS }: { signal?: AbortSignal; cpuMs?: number } = {},
): Promise<PushedPointer[]> {
  checkOids([...tips, ...known]);
  if (tips.length === 0) return [];
  const options = { gitDir: repository.dir, cpuMs, ...(signal === undefined ? {} : { signal }) };
  const filters = ['--filter=object:type=blob', `--filter=blob:limit=${MAX_POINTER_BYTES}`];
  const walk = ['rev-list', '--objects', '--no-object-names', ...filters, '--filter-provided-objects'];
  const input = [...tips, ...known.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
  const oids: string[] = [];
  await readRecords([...walk, '--ignore-missing', '--stdin'], { ...options, input }, (record) => {
    oids.push(record.toString('latin1'));
    return oids.length < MAX_CANDIDATES;
  });
  if (oids.length === 0) return [];
  const candidates: string[] = [];
  const check = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
  await readRecords(check, { ...options, input: oids.map((oid) => `${oid}\n`).join('') }, (record) => {
    const oid = candidateOf(record);
    if (oid !== null) candidates.push(oid);
  });
  return readPointers(candidates, options);
}

/** Id of a blob with the size of a pointer; null for anything else. */
function candidateOf(record: Buffer): string | null {
  const [oid, type, size] = record.toString('latin1').split(' ');
  const bytes = Number(size);
  return type === 'blob' && isPointerSize(bytes) ? oid! : null;
}

const isPointerSize = (bytes: number): boolean => bytes >= MIN_POINTER_BYTES && bytes < MAX_POINTER_BYTES;

async function readPointers(candidates: readonly string[], options: GitOptions): Promise<PushedPointer[]> {
  const pointers: PushedPointer[] = [];
  for (let at = 0; at < candidates.length; at += BATCH) {
    const input = candidates
      .slice(at, at + BATCH)
      .map((oid) => `${oid}\n`)
      .join('');
    const { stdout } = await runGit(['cat-file', '--batch'], { ...options, input });
    for (const { blob, data } of splitBatch(stdout)) {
      const pointer = parsePointer(data);
      if (pointer !== null) pointers.push({ ...pointer, blob });
    }
  }
  return pointers;
}

/** Repeated `<oid> blob <size>` LF `<data>` LF. */
function* splitBatch(output: Buffer): Generator<{ blob: string; data: Buffer }> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    if (end === -1) return;
    const [blob, , size] = output.toString('latin1', at, end).split(' ');
    const next = end + 1 + Number(size);
    if (!Number.isSafeInteger(next)) return;
    yield { blob: blob!, data: output.subarray(end + 1, next) };
    at = next + 1;
  }
}

/**
 * Paths touched by the commits of a push, without commits that a ref already reaches; for a merge, paths that differ
 * from all parents. A path may occur several times.
 * @param heads complete ids of commits
 * @param env environment of the quarantine
 * @param onPath receives each path; `false` ends the reading
 * @throws GitError `failed`, `timeout`, `output_too_large`
 */
export async function pathsOfPush(
  repository: RepositoryPath,
  heads: readonly string[],
  env: Environment,
  onPath: (path: string) => unknown,
): Promise<void> {
  const args = ['log', '--stdin', '-z', '--format=', '--name-only', '--no-renames', '-c', '--not', '--all'];
  const limits = { maxRecord: MAX_RECORD, cpuMs: CPU_MS, memory: COMPARE_CHILD_MEMORY };
  const options = { gitDir: repository.dir, env, separator: 0, ...limits };
  await readRecords(args, { ...options, input: heads.map((oid) => `${oid}\n`).join('') }, (record) =>
    record.length === 0 ? true : onPath(decodeBytes(record)),
  );
}
