import { encodeBytes } from './bytes.ts';
import { FETCH } from './import.ts';
import type { ObjectFormat } from './objects.ts';
import { mustRunRemote } from './remote.ts';
import { RemoteError } from './remote-error.ts';
import type { RemoteSource } from './remote-source.ts';
import type { Repository } from './repository.ts';
import { objectFormatOf } from './repository-files.ts';

export interface FetchRequest {
  /** Full names of the branches and tags that are wanted. */
  refs: readonly string[];
  /** Folder of refs, with a slash at its end, below which they are put; `refs/heads/x` becomes `heads/x` there. */
  folder: string;
  /** Of the other side. */
  format: ObjectFormat;
  /** Bytes of the pack that comes in. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** Git compares every name that is asked for with every one that is there; of more all are asked for. */
const MAX_NAMED = 2_000;

/**
 * Fetches refs of another server into a folder of refs, whatever these were before. Objects are checked as they come in.
 * @throws RemoteError; GitError `timeout`, `aborted`, `busy`
 */
export async function fetchRefs(source: RemoteSource, repo: Repository, request: FetchRequest): Promise<void> {
  const { refs, folder, format, maxBytes, signal } = request;
  if ((await objectFormatOf(repo.dir)) !== format) throw new RemoteError('format');
  const named = refs.length > MAX_NAMED ? ['refs/heads/*', 'refs/tags/*'] : refs;
  const refspecs = named.map((ref) => `+${ref}:${folder}${ref.slice('refs/'.length)}\n`);
  await mustRunRemote(source, (url) => [...FETCH, '--stdin', '--end-of-options', url], {
    gitDir: repo.dir,
    signal,
    fileBytes: maxBytes,
    input: encodeBytes(refspecs.join('')),
  });
}
