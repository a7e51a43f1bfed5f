import type { Deps } from '../deps.ts';
import { RemoteError } from '../git/remote/index.ts';
import { CallFailed } from '../outbound/call.ts';
import { withoutCredentials } from './mirroring.address.ts';

const TIMEOUT_MS = 3_600_000;
const DONE = { status: 200, headers: {}, body: '' };

/**
 * Updates a mirror as one call to the other server, unless what stands before such calls answers instead of it.
 * @param address of the other repository
 * @param update connects to it
 * @throws RemoteError if the other server counts as failing; errors of `update`
 */
export async function callRemote<T>(
  deps: Pick<Deps, 'outgoing'>,
  address: string,
  signal: AbortSignal,
  update: () => Promise<T>,
): Promise<T> {
  let done: { result: T } | undefined;
  const call = { kind: 'mirror', url: withoutCredentials(address), method: 'GET', headers: {}, body: '' } as const;
  const about = { event: null, hookId: null, timeoutMs: TIMEOUT_MS, signal };
  let status: number;
  try {
    ({ status } = await deps.outgoing.make({ ...call, ...about }, async () => {
      done = { result: await update() };
      return DONE;
    }));
  } catch (error) {
    if (error instanceof CallFailed) throw new RemoteError('unreachable');
    throw error;
  }
  if (done !== undefined) return done.result;
  if (status === 401 || status === 403) throw new RemoteError('credentials');
  if (status === 404) throw new RemoteError('not_found');
  if (status >= 300 && status < 400) throw new RemoteError('redirect');
  throw new RemoteError(status >= 500 || status === 429 ? 'unreachable' : 'failed');
}
