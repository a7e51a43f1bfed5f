import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Deps } from '../../deps.ts';
import type { Interceptor } from '../../http/interceptor.ts';
import { isOfBench, pathOfRequest } from '../request-path.ts';
import { changeHeaders, cutAnswer, hangUp, loseAnswer, slowDown } from './broken-answer.ts';
import { answers, type FaultAct, statusOf, textOf } from './fault-rule.ts';
import type { Faults } from './faults.ts';
import { sendingUser } from './sending-user.ts';

/** Does to requests what was ordered; those of the test bench itself are passed on. */
export const faultInterceptor =
  (deps: Deps, faults: Faults): Interceptor =>
  (request, response, next) => {
    if (faults.isEmpty) return next();
    const path = pathOfRequest(request);
    if (isOfBench(path)) return next();
    const facts = { method: request.method ?? '', path, headers: request.headers };
    const found = faults.forRequest(facts, () => sendingUser(deps, request));
    if (found === null) next();
    else if (found instanceof Promise) void found.then((act) => perform(act, request, response, next));
    else perform(found, request, response, next);
  };

function perform(act: FaultAct | null, request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const { socket } = request;
  // The server would wait in vain for the end of an answer whose connection was closed before it saw the request.
  if (socket.destroyed) return;
  const { delay_ms: delay = 0 } = act ?? {};
  const goOn = () => takeEffect(act ?? {}, request, response, next);
  if (delay === 0) {
    goOn();
    return;
  }
  const stop = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    socket.off('close', stop);
    goOn();
  }, delay);
  socket.once('close', stop);
}

function takeEffect(act: FaultAct, request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const { drop, bytes_per_second: rate, headers } = act;
  if (drop === 'before') {
    hangUp(response);
    return;
  }
  if (drop === 'after') loseAnswer(response);
  if (rate !== undefined) slowDown(response, rate);
  if (drop === 'mid-body') cutAnswer(response);
  if (answers(act)) answer(act, request, response);
  else {
    if (headers !== undefined) changeHeaders(response, headers);
    next();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Answers instead of the server. */
function answer(act: FaultAct, { headers }: IncomingMessage, response: ServerResponse): void {
  const status = statusOf(act);
  const { body = { message: `${status} ${STATUS_CODES[status] ?? ''}`.trim() }, retry_after: retryAfter } = act;
  const text = textOf(body);
  response.statusCode = status;
  const json = typeof body !== 'string' || isJson(text);
  response.setHeader('Content-Type', json ? 'application/json' : 'text/plain; charset=utf-8');
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  // Whether the client still sends a body that it was not asked for is unknown.
  if (headers.expect !== undefined) response.setHeader('Connection', 'close');
  for (const [name, value] of Object.entries(act.headers ?? {})) response.setHeader(name, value);
  if (status === 204 || status === 304) {
    response.removeHeader('Content-Type');
    response.end();
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
