import type { IncomingMessage } from 'node:http';
import { requestExternal } from './outbound.request.ts';
import { BlockedAddress, type OutboundRules, parseHttpUrl } from './outbound.resolve.ts';

export interface FetchOptions {
  /** Timeout in milliseconds for everything, including redirects. */
  timeoutMs: number;
  /** Maximum size of the body. */
  maxBytes: number;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

export interface FetchedBody {
  status: number;
  body: Buffer;
}

/** The reason of a failed request. */
export class FetchError extends Error {
  override name = 'FetchError';
  readonly kind: 'timeout' | 'socket' | 'too_large' | 'redirects';

  constructor(kind: FetchError['kind']) {
    super(kind);
    this.kind = kind;
  }
}

const MAX_REDIRECTS = 5;
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity' };
/** Status codes of redirects. */
export const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Sends a GET request to another server. Each address, including those of redirects, is checked before connecting, and
 * the connection goes to the checked address.
 * @returns the answer; the body only for status codes below 400
 * @throws BlockedAddress, FetchError, the reason of the signal
 */
export async function fetchExternal(text: string, rules: OutboundRules, options: FetchOptions): Promise<FetchedBody> {
  const late = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  try {
    let address = text;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const url = parseHttpUrl(address);
      const answer = await requestExternal(url, rules, { headers: HEADERS, signal });
      const { statusCode: status = 0, headers } = answer;
      if (!REDIRECTS.includes(status) || headers.location === undefined) return await read(answer, options.maxBytes);
      answer.destroy();
      address = new URL(headers.location, url).href;
    }
    throw new FetchError('redirects');
  } catch (error) {
    if (error instanceof BlockedAddress || error instanceof FetchError) throw error;
    options.signal?.throwIfAborted();
    throw new FetchError(late.aborted ? 'timeout' : 'socket');
  }
}

async function read(answer: IncomingMessage, maxBytes: number): Promise<FetchedBody> {
  const status = answer.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (status >= 400) return { status, body: Buffer.alloc(0) };
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new FetchError('too_large');
      chunks.push(chunk);
    }
    return { status, body: Buffer.concat(chunks) };
  } finally {
    answer.destroy();
  }
}
