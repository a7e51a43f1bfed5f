import { decodeBytes, type ObjectFormat } from '../common/index.ts';
import { mustRunRemote } from './git.remote.ts';
import { RemoteError } from './remote-error.ts';
import type { RemoteSource } from './remote-source.ts';

/** Branches and tags of a remote repository. */
export interface RemoteListing {
  /** Ids by full names, `refs/heads/...` and `refs/tags/...`; tags are not peeled. */
  refs: ReadonlyMap<string, string>;
  /** Branch of its HEAD; null if unknown or not requested. */
  head: string | null;
  format: ObjectFormat;
  /** Lines for `known_hosts`, if the host was seen for the first time. */
  hostKeys?: string;
}

export interface ListOptions {
  signal?: AbortSignal | undefined;
  /** Whether to request HEAD as well. */
  head?: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum number of refs accepted from one repository. */
const MAX_REFS = 100_000;
const LIST_MS = 600_000;
const STALL_MS = 120_000;

/**
 * Requests the branches and tags of another server with one `git ls-remote`.
 * @throws RemoteError; GitError `timeout`, `aborted`, `busy`
 */
export async function listRemote(
  source: RemoteSource,
  { signal, head = false }: ListOptions = {},
): Promise<RemoteListing> {
  const chunks: Buffer[] = [];
  let size = 0;
  // With these options the other server omits all other refs, but also HEAD.
  const what = head ? ['--symref', '--end-of-options'] : ['--refs', '--heads', '--tags', '--end-of-options'];
  const patterns = head ? ['HEAD', 'refs/heads/*', 'refs/tags/*'] : [];
  const hostKeys = await mustRunRemote(source, (url) => ['ls-remote', '--quiet', ...what, url, ...patterns], {
    signal,
    timeoutMs: LIST_MS,
    stallMs: STALL_MS,
    onOutput: (chunk) => {
      size += chunk.length;
      if (size > MAX_BYTES) return false;
      chunks.push(chunk);
      return true;
    },
  });
  const refs = new Map<string, string>();
  let symbolic: string | null = null;
  for (const line of decodeBytes(Buffer.concat(chunks)).split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD') symbolic ??= /^ref: refs\/heads\/(.+)$/.exec(value)?.[1] ?? null;
    if (!/^refs\/(?:heads|tags)\/./.test(name) || name.endsWith('^{}') || !/^[0-9a-f]{40,64}$/.test(value)) continue;
    refs.set(name, value);
    if (refs.size > MAX_REFS) throw new RemoteError('too_many');
  }
  const [first] = refs.values();
  return {
    refs,
    head: symbolic,
    format: first?.length === 64 ? 'sha256' : 'sha1',
    ...(hostKeys === undefined ? {} : { hostKeys }),
  };
}
