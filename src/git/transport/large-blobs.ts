import { readRecords } from '../process/index.ts';
import type { RepositoryPath } from './service.ts';

const CHECK = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
const CPU_MS = 60_000;
/** Maximum number of results: one is enough to refuse a push. */
const MAX_BLOBS = 10_000;

/**
 * Blobs of a push that are larger than a given size, by their ids. One git command.
 * @param env environment of the quarantine; empty for a push without objects
 * @throws GitError `failed`, `timeout`
 */
export async function largePushedBlobs(
  repository: RepositoryPath,
  env: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Set<string>> {
  const largeBlobs = new Set<string>();
  const { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH } = env;
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_QUARANTINE_PATH === undefined) return largeBlobs;
  // Without the alternates, git sees only the pushed objects.
  const options = {
    gitDir: repository.dir,
    env: { GIT_OBJECT_DIRECTORY, GIT_QUARANTINE_PATH },
    cpuMs: CPU_MS,
  };
  await readRecords(['cat-file', '--batch-all-objects', '--unordered', CHECK], options, (record) => {
    const [oid, type, size] = record.toString('latin1').split(' ');
    if (type === 'blob' && Number(size) > maxBytes) largeBlobs.add(oid!);
    return largeBlobs.size < MAX_BLOBS;
  });
  return largeBlobs;
}
