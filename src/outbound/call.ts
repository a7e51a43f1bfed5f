import type { IncomingMessage } from 'node:http';
import { type ExternalRequest, requestExternal } from './outbound.request.ts';
import { BlockedAddress, type OutboundRules } from './outbound.resolve.ts';

export interface OutboundCall extends Pick<ExternalRequest, 'method' | 'headers' | 'verifyTls' | 'keepAlive'> {
  body?: Buffer;
  /** Timeout in milliseconds for the whole call. */
  timeoutMs: number;
  /** Maximum number of bytes of the answer's body; the rest is not read. */
  maxAnswerBytes: number;
  /** Aborts the call when the server stops. */
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Names in lower case; several values of a name are joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** The beginning of the body, as text without null bytes. */
  body: string;
}

/** The reason why there is no answer; names no address but that of the call. */
export class CallFailed extends Error {
  override name = 'CallFailed';
}

/** Bytes of an answer read beyond the limit, so that its connection can be reused. */
const MAX_DRAINED = 65_536;

/**
 * Calls another server and waits for the answer; its body is read within the limits of time and size. The address is
 * checked when connecting; redirects are not followed.
 * @throws CallFailed; the reason of the signal
 */
export async function callExternal(url: URL, rules: OutboundRules, call: OutboundCall): Promise<OutboundResponse> {
  const { timeoutMs, maxAnswerBytes, signal, ...request } = call;
  signal.throwIfAborted();
  // A timeout signal would retain everything of the call until it fires.
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
    // Timeout or lost connection: what has arrived counts.
  } finally {
    if (!answer.complete) answer.destroy();
  }
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '');
}
