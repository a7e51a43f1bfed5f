import { VERSION } from '../../core/core.version.ts';
import type { Deps } from '../../deps.ts';
import { CallFailed, callExternal, type OutboundResponse } from '../../outbound/call.ts';
import { BlockedAddress, parseHttpUrl } from '../../outbound/outbound.resolve.ts';
import { basicAuth } from '../../webhooks/hook-url.ts';
import { hookAddress, hookRules } from '../../webhooks/webhooks.address.ts';
import { InvalidRequest, type OutboundRequest, ServiceUnreachable } from './dispatch-context.ts';

/** A call has to be answered in this time, in milliseconds. */
const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 256 * 1024;
/** Statuses of servers in front of the one that was meant, or that ask to come again. */
const NOT_REACHED: readonly number[] = [408, 425, 429, 502, 503, 504];

/**
 * Calls another program once. An address that the server does not reach now is as one that does not answer.
 * @throws ServiceUnreachable; InvalidRequest for what no header can hold; the reason of the signal
 */
export async function callService(
  deps: Deps,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { method = 'POST', url: text, headers = {}, body, verifyTls = true } = request;
  for (const [name, value] of Object.entries(headers)) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new InvalidRequest(`the header ${name} cannot hold what was set up`);
  }
  let answer: OutboundResponse;
  try {
    const rules = await hookRules(deps, false);
    const { url, authorization } = basicAuth(hookAddress(deps, text, rules));
    answer = await callExternal(url, rules, {
      method,
      headers: {
        'User-Agent': `Stithy/${VERSION.stithy}`,
        ...(authorization === null ? {} : { Authorization: authorization }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
      verifyTls,
      keepAlive: true,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER,
      signal,
    });
  } catch (error) {
    if (error instanceof CallFailed || error instanceof BlockedAddress) throw new ServiceUnreachable(error.message);
    throw error;
  }
  if (NOT_REACHED.includes(answer.status)) throw new ServiceUnreachable(`it answered ${answer.status}`);
  return answer;
}

/** The server of an address, for logs: nothing of it is secret. */
export function serverOf(url: string): string {
  try {
    return parseHttpUrl(url).host;
  } catch {
    return 'no address';
  }
}
