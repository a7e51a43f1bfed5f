import { checkOids } from '../arguments.ts';
import { COMPARE_CHILD_MEMORY } from '../diff-commands.ts';
import { decodeBytes } from '../git.bytes.ts';
import { runGit } from '../git.process.ts';
import { MAX_POINTER_BYTES, parsePointer } from '../lfs.ts';
import { readRecords } from '../records.ts';
import { readQuarantined } from './quarantine-reader.ts';
import type { RepositoryPath } from './service.ts';

type Environment = Readonly<Record<string, string>>;

/** No pointer is shorter: two lines with a key, an address and a hash. */
const MIN_POINTER_BYTES = 110;
/** Small files of one push that are looked into, and how many by one command. */
const MAX_CANDIDATES = 200_000;
const BATCH = 10_000;
const CPU_MS = 60_000;
const MAX_RECORD = 8_192;

/** An LFS pointer among the objects of a push. */
export interface PushedPointer {
  /** SHA-256 of the content it stands for. */
  oid: string;
  /** Of the content, in bytes. */
  size: number;
  /** Object id of the pointer itself. */
  blob: string;
}

/**
 * The LFS pointers among the objects that a push brings. Of a large push by one git command where it brings no small file at
 * all, else one more for some thousands.
 * @param quarantineEnv the environment of the quarantine; empty for a push without objects
 * @throws GitError `failed`, `timeout`
 */
export async function pushedPointers(repository: RepositoryPath, quarantineEnv: Environment): Promise<PushedPointer[]> {
  const { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH } = quarantineEnv;
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_QUARANTINE_PATH === undefined) return [];
  const few: PushedPointer[] = [];
  const isRead = await readQuarantined(GIT_QUARANTINE_PATH, MAX_POINTER_BYTES, (blob, { type, data }) => {
    const pointer = type === 'blob' && data !== null && isPointerSize(data.length) ? parsePointer(data) : null;
    if (pointer !== null) few.push({ ...pointer, blob });
  });
  if (isRead) return few;
  const candidates: string[] = [];
  // Without the alternates git sees the pushed objects alone.
  const options = {
    gitDir: repository.dir,
    env: { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH },
    cpuMs: CPU_MS,
  };
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

/** Commits between two points of history. */
export interface HistoryRange {
  /** Complete ids of commits or tags; what is not there is left out. */
  tips: readonly string[];
  /** The same, whose history is left out. */
  known: readonly string[];
}

/**
 * The LFS pointers among the files that commits bring, of all versions: one git command, and one more for each some
 * thousand small files.
 * @param signal ends it
 * @param cpuMs of each command
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

/** The id of what is as large as a pointer is; null for all else. */
function candidateOf(record: Buffer): string | null {
  const [oid, type, size] = record.toString('latin1').split(' ');
  const bytes = Number(size);
  return type === 'blob' && isPointerSize(bytes) ? oid! : null;
}

const isPointerSize = (bytes: number): boolean => bytes >= MIN_POINTER_BYTES && bytes < MAX_POINTER_BYTES;

async function readPointers(
  candidates: readonly string[],
  options: { gitDir: string; env?: Environment; cpuMs: number; signal?: AbortSignal },
): Promise<PushedPointer[]> {
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

/** `<oid> blob <size>` LF `<data>` LF, again and again. */
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
 * Paths that the commits of a push touch, commits that some ref leads to already left out; of a merge those that differ
 * from all of its parents. A path may come several times.
 * @param heads complete ids of commits
 * @param env the environment of the quarantine
 * @param onPath gets each path; `false` ends the reading
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
