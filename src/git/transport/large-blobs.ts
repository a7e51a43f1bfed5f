import { readRecords } from '../records.ts';
import type { RepositoryPath } from './service.ts';

const CHECK = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
const CPU_MS = 60_000;
/** So many are told at most: one is enough to refuse a push. */
const MAX_BLOBS = 10_000;

/**
 * The blobs among the objects of a push that are larger than so many bytes, by their ids. One git command.
 * @param env the environment of the quarantine; empty for a push without objects
 * @throws GitError `failed`, `timeout`
 */
export async function largePushedBlobs(
  repository: RepositoryPath,
  env: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  const { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH } = env;
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_QUARANTINE_PATH === undefined) return found;
  // Without the alternates git sees the pushed objects alone.
  const options = {
    gitDir: repository.dir,
    env: { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH },
    cpuMs: CPU_MS,
  };
  await readRecords(['cat-file', '--batch-all-objects', '--unordered', CHECK], options, (record) => {
    const [oid, type, size] = record.toString('latin1').split(' ');
    if (type === 'blob' && Number(size) > maxBytes) found.add(oid!);
    return found.size < MAX_BLOBS;
  });
  return found;
}
