import type { IncomingMessage } from 'node:http';
import { type ExternalRequest, requestExternal } from './outbound.request.ts';
import { BlockedAddress, type OutboundRules } from './outbound.resolve.ts';

export interface OutboundCall extends Pick<ExternalRequest, 'method' | 'headers' | 'verifyTls' | 'keepAlive'> {
  body?: Buffer;
  /** Milliseconds for all of it. */
  timeoutMs: number;
  /** Of the body of the answer; what comes after is not read. */
  maxAnswerBytes: number;
  /** Ends it when the server stops. */
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** In lower case; several of one name joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** Its beginning, as text without null bytes. */
  body: string;
}

/** Why there is no answer, in words that name no address but the one that was called. */
export class CallFailed extends Error {
  override name = 'CallFailed';
}

/** What is read of an answer past its limit, so that its connection can be used again. */
const MAX_DRAINED = 65_536;

/**
 * Calls a server elsewhere and waits for the answer, whose body is read as far as time and its limit allow. Its address is
 * checked when it is connected to; redirects are not followed.
 * @throws CallFailed; the reason of the signal
 */
export async function callExternal(url: URL, rules: OutboundRules, call: OutboundCall): Promise<OutboundResponse> {
  const { timeoutMs, maxAnswerBytes, signal, ...request } = call;
  signal.throwIfAborted();
  // Signals that end by themselves would keep all that the call was until then.
  const over = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    over.abort();
  }, timeoutMs);
  const stop = () => over.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await requestExternal(url, rules, {
      ...request,
      headers: { 'accept-encoding': 'identity', ...request.headers, 'content-length': String(call.body?.length ?? 0) },
      signal: over.signal,
    });
    const body = await beginningOf(answer, maxAnswerBytes);
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? '')] as const);
    return { status: answer.statusCode ?? 0, headers: Object.fromEntries(headers), body };
  } catch (error) {
    signal.throwIfAborted();
    throw new CallFailed(reasonOf(error, late, timeoutMs), { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function reasonOf(error: unknown, late: boolean, timeoutMs: number): string {
  if (late) return `execution expired: there was no answer within ${timeoutMs / 1_000} seconds`;
  if (error instanceof BlockedAddress) return `URL ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `Failed to open or keep the connection (${code})`;
}

async function beginningOf(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > MAX_DRAINED) break;
    }
  } catch {
    // Time is over or the connection has gone: what has come counts.
  } finally {
    if (!answer.complete) answer.destroy();
  }
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '');
}
