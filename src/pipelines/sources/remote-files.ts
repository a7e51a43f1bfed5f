import { setTimeout as pause } from 'node:timers/promises';
import type { RemoteFile } from '../../ci/sources.ts';
import { BoundedCache } from '../../core/cache/index.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { Deps } from '../../deps.ts';
import { FetchError, fetchExternal } from '../../outbound/outbound.fetch.ts';
import { BlockedAddress } from '../../outbound/outbound.resolve.ts';
import { outboundRules } from '../../settings/outbound-rules.ts';
import { MAX_FILE_BYTES } from './pipeline-sources.repository-files.ts';

export interface RemoteRetryPolicy {
  /** Timeout of one attempt in milliseconds. */
  timeoutMs: number;
  /** Delays in milliseconds before the second and third attempt. */
  pausesMs: readonly number[];
}

const TRIES: RemoteRetryPolicy = { timeoutMs: 8_000, pausesMs: [1_000, 2_000] };

class TooManyFetches extends Error {}

/** Number of concurrent fetches: a slow server must not occupy all slots. */
const fetches = new FairSlots({
  total: 16,
  perKey: 4,
  maxWaiting: 1000,
  maxWaitingPerKey: 300,
  maxWaitMs: 30_000,
  refuse: () => new TooManyFetches(),
});

const responses = new BoundedCache<string, { content: string; at: number }>(
  'remote_files',
  ({ content }, url) => 2 * (content.length + url.length) + 200,
);

/**
 * Fetches a remote file, with up to three attempts if the server fails or is slow.
 * @param cacheSeconds maximum age of a cached response
 */
export async function fetchRemoteFile(
  deps: Deps,
  url: string,
  cacheSeconds: number | null,
  tries: RemoteRetryPolicy = TRIES,
): Promise<RemoteFile> {
  const now = deps.start.uptimeMs();
  // Ages count from the start of the server, and what one may fetch another may not.
  const key = `${deps.start.prefix}${url}`;
  const known = cacheSeconds === null ? undefined : responses.get(key);
  if (known !== undefined && now - known.at < cacheSeconds! * 1000) return { content: known.content };
  const { caller, signal } = currentScope();
  let leave: (() => void) | undefined;
  try {
    leave = await fetches.take(caller, { signal });
    const file = await inTries(deps, url, signal, tries);
    if (cacheSeconds !== null && 'content' in file) responses.set(key, { content: file.content, at: now });
    return file;
  } catch (error) {
    if (error instanceof TooManyFetches) return { error: 'because too many files are being fetched!' };
    throw error;
  } finally {
    leave?.();
  }
}

async function inTries(
  deps: Deps,
  url: string,
  signal: AbortSignal | undefined,
  { timeoutMs, pausesMs }: RemoteRetryPolicy,
): Promise<RemoteFile> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await once(deps, url, { timeoutMs, signal });
    if (!('again' in problem)) return problem;
    const wait = pausesMs[attempt - 1];
    if (!problem.again || wait === undefined) {
      const attempts = `${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`;
      return { error: `after ${attempts} because of ${problem.because} error!` };
    }
    await pause(wait, undefined, { signal });
  }
}

async function once(
  deps: Deps,
  url: string,
  limits: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<RemoteFile | { again: boolean; because: string }> {
  const rules = await outboundRules(deps);
  try {
    const { status, body } = await fetchExternal(url, rules, { ...limits, maxBytes: MAX_FILE_BYTES });
    if (status >= 400) return { again: status >= 500, because: `HTTP code \`${status}\`` };
    const content = body.toString('utf8');
    return content.trim() === '' ? { error: 'because the response was empty!' } : { content };
  } catch (error) {
    if (error instanceof BlockedAddress) return { error: `because URL ${error.message}!` };
    if (!(error instanceof FetchError)) throw error;
    switch (error.kind) {
      case 'too_large':
        return { error: 'because the file is too large!' };
      case 'redirects':
        return { error: 'because of too many redirects!' };
      case 'timeout':
        return { again: true, because: 'a timeout' };
      case 'socket':
        return { again: false, because: 'a socket' };
    }
  }
}
