import { decodeBytes } from '../common/index.ts';
import type { Repository } from '../repository/index.ts';
import { runRemote } from './git.remote.ts';
import { RemoteError } from './remote-error.ts';
import type { RemoteSource } from './remote-source.ts';

/** A ref of another server with its current and new target. */
export interface RemoteChange {
  ref: string;
  /** Expected target there; null: it must not exist. */
  old: string | null;
  /** Id of an object in the repository; null deletes the ref. */
  new: string | null;
}

/** Maximum number of refs in one push, since they are arguments of git. */
const BATCH_SIZE = 200;

/**
 * Force-pushes refs to another server, except those that have changed since they were read.
 * @returns full names of the refs that the other server rejected
 * @throws RemoteError if nothing could be pushed; GitError `timeout`, `aborted`, `busy`
 */
export async function pushRefs(
  source: RemoteSource,
  repo: Repository,
  changes: readonly RemoteChange[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  const refused: string[] = [];
  for (let at = 0; at < changes.length; at += BATCH_SIZE) {
    const some = changes.slice(at, at + BATCH_SIZE);
    const output: Buffer[] = [];
    const leases = some.map(({ ref, old }) => `--force-with-lease=${ref}:${old ?? ''}`);
    const refspecs = some.map(({ ref, new: oid }) => `${oid ?? ''}:${ref}`);
    const { failure } = await runRemote(
      source,
      (url) => ['push', '--progress', '--porcelain', '--no-verify', ...leases, '--end-of-options', url, ...refspecs],
      {
        gitDir: repo.dir,
        signal: options.signal,
        onOutput: (chunk) => {
          output.push(chunk);
          return true;
        },
      },
    );
    if (failure === null) continue;
    const lines = decodeBytes(Buffer.concat(output)).split('\n');
    const names = lines.flatMap((line) =>
      line.startsWith('!\t') ? [line.split('\t')[1]!.replace(/^[^:]*:/, '')] : [],
    );
    if (names.length === 0) throw new RemoteError(failure);
    refused.push(...names);
  }
  return refused;
}

/** Peels object ids to commits; omits those that the repository does not have. */
export async function knownCommits(repo: Repository, oids: readonly string[]): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const oid of oids) {
    const commit = await repo.objects.info(`${oid}^{commit}`);
    if (commit !== null) known.set(oid, commit.oid);
  }
  return known;
}
