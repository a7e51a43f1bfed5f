import { runGit } from '../process.ts';
import { readRecords } from '../records.ts';
import type { RepositoryPath } from './service.ts';

const CHECK = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
const TIMEOUT_MS = 60_000;
/** So many are told at most: one is enough to refuse a push. */
const MAX_BLOBS = 10_000;

/** The bytes of a blob that is larger than so many; undefined for all else. */
function largeOne(record: string, maxBytes: number): [oid: string, bytes: number] | undefined {
  const [oid, type, size] = record.split(' ');
  return type === 'blob' && Number(size) > maxBytes ? [oid!, Number(size)] : undefined;
}

/**
 * The blobs among the objects of a push that are larger than so many bytes, by their ids. One git command.
 * @param env the environment of the quarantine; empty for a push without objects
 * @throws GitError `failed`, `timeout`
 */
export async function largePushedBlobs(
  repository: RepositoryPath,
  env: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH } = env;
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_QUARANTINE_PATH === undefined) return found;
  // Without the alternates git sees the pushed objects alone.
  const options = { gitDir: repository.dir, env: { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH }, timeoutMs: TIMEOUT_MS };
  await readRecords(['cat-file', '--batch-all-objects', '--unordered', CHECK], options, (record) => {
    const large = largeOne(record.toString('latin1'), maxBytes);
    if (large !== undefined) found.set(...large);
    return found.size < MAX_BLOBS;
  });
  return found;
}

/** The same among objects that the repository has. @param oids complete ids, some thousand at most */
export async function largeBlobs(
  repository: RepositoryPath,
  oids: readonly string[],
  maxBytes: number,
): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map();
  const input = oids.map((oid) => `${oid}\n`).join('');
  const { stdout } = await runGit(['cat-file', CHECK], { gitDir: repository.dir, input, timeoutMs: TIMEOUT_MS });
  const records = stdout.toString('latin1').split('\n');
  return new Map(records.flatMap((record) => [largeOne(record, maxBytes) ?? []].filter((each) => each.length === 2)));
}
