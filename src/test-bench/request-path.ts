import type { IncomingMessage } from 'node:http';

/** Path of all addresses of the test bench. */
export const BENCH_PATH = '/-/bench';

/** Path of a request as sent, without the query; some clients send the whole URL. */
export function pathOfRequest({ url = '/' }: IncomingMessage): string {
  const own = url.charCodeAt(0) === 47 ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const question = own.indexOf('?');
  return question === -1 ? own : own.slice(0, question);
}

/** Whether a path is of the test bench itself, which is neither recorded nor broken. */
export const isOfBench = (path: string): boolean =>
  path.startsWith(BENCH_PATH) && (path.length === BENCH_PATH.length || path[BENCH_PATH.length] === '/');
