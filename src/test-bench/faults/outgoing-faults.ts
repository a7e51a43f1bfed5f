import { setTimeout as pause } from 'node:timers/promises';
import { CallFailed } from '../../outbound/call.ts';
import type { OutgoingInterceptor } from '../../outbound/outgoing-calls.ts';
import { answers, statusOf, textOf } from './fault-rule.ts';
import type { Faults } from './faults.ts';

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const lost = () => new CallFailed('Failed to open or keep the connection (ECONNRESET)');

/** Does to outgoing calls what was ordered: the other server counts as answering so. */
export const outgoingFaults =
  (faults: Faults): OutgoingInterceptor =>
  async (call, send) => {
    const act = faults.isEmpty ? null : faults.forCall(call);
    if (act === null) return send();
    const { drop, headers = {}, delay_ms: delay = 0, retry_after: retryAfter, bytes_per_second: rate } = act;
    const { signal, timeoutMs } = call;
    const wait = async (ms: number) => {
      await pause(Math.min(ms, timeoutMs), undefined, { signal });
      if (ms >= timeoutMs)
        throw new CallFailed(`execution expired: there was no answer within ${timeoutMs / 1_000} seconds`);
    };
    if (delay > 0) await wait(delay);
    const isCutMirror = call.kind === 'mirror' && drop === 'mid-body';
    if (drop === 'before' || isCutMirror) throw lost();
    const more = retryAfter === undefined ? headers : { 'retry-after': String(retryAfter), ...headers };
    const answer = answers(act)
      ? { status: statusOf(act), headers: lowerCase(more), body: textOf(act.body ?? '') }
      : await send().then((came) => ({ ...came, headers: { ...came.headers, ...lowerCase(headers) } }));
    if (drop === 'after') throw lost();
    const body = drop === 'mid-body' ? answer.body.slice(0, Math.floor(answer.body.length / 2)) : answer.body;
    if (rate !== undefined) await wait((Buffer.byteLength(body) * 1_000) / rate);
    return { ...answer, body };
  };
