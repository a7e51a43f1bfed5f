import { VERSION } from '../../core/core.version.ts';
import type { Deps } from '../../deps.ts';
import { CallFailed, callExternal, type OutboundResponse } from '../../outbound/call.ts';
import { BlockedAddress, parseHttpUrl } from '../../outbound/outbound.resolve.ts';
import { basicAuth } from '../../webhooks/hook-url.ts';
import { hookAddress, hookRules } from '../../webhooks/webhooks.address.ts';
import { InvalidRequest, type OutboundRequest, ServiceUnreachable } from './dispatch-context.ts';

/** Timeout of a call, in milliseconds. */
const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 256 * 1024;
/** Statuses of proxies and overloaded servers, which are worth a retry. */
const NOT_REACHED: readonly number[] = [408, 425, 429, 502, 503, 504];

/**
 * Calls an external service once. An address that is blocked now is treated like an unreachable one.
 * @param event value of `X-Gitlab-Event`
 * @throws ServiceUnreachable; InvalidRequest for invalid header values; the reason of the signal
 */
export async function callService(
  deps: Deps,
  request: OutboundRequest,
  event: string,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { method = 'POST', url: text, headers = {}, body, verifyTls = true } = request;
  for (const [name, value] of Object.entries(headers)) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new InvalidRequest(`the configured value is not valid in the header ${name}`);
  }
  let answer: OutboundResponse;
  try {
    const rules = await hookRules(deps, false);
    const { url, authorization } = basicAuth(hookAddress(deps, text, rules));
    const sent = {
      method,
      headers: {
        'User-Agent': `Stithy/${VERSION.stithy}`,
        ...(authorization === null ? {} : { Authorization: authorization }),
        ...headers,
      },
      timeoutMs: TIMEOUT_MS,
      signal,
    };
    const about = { kind: 'integration', url: url.href, body: body ?? '', event, hookId: null } as const;
    answer = await deps.outgoing.make({ ...sent, ...about }, () =>
      callExternal(url, rules, {
        ...sent,
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
        verifyTls,
        keepAlive: true,
        maxAnswerBytes: MAX_ANSWER,
      }),
    );
  } catch (error) {
    if (error instanceof CallFailed || error instanceof BlockedAddress) throw new ServiceUnreachable(error.message);
    throw error;
  }
  if (NOT_REACHED.includes(answer.status))
    throw new ServiceUnreachable(`the service answered with status ${answer.status}`);
  return answer;
}

/** The host of a URL, for logs, without secret parts. */
export function serverOf(url: string): string {
  try {
    return parseHttpUrl(url).host;
  } catch {
    return 'no address';
  }
}
