/** Has names that are reserved for examples and tests lead nowhere, without a question to the network. */
import dns from 'node:dns';
import promises from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const RESERVED = /(?:^|\.)(?:example|test|invalid|example\.(?:com|net|org))\.?$/i;

const notFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
    ...{ code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname },
  });

/** Replaces both forms of `dns.lookup`; before anything is imported that keeps one of them. */
export function answerReservedNames(): void {
  const { lookup } = dns;
  const answering = (hostname: string, ...rest: unknown[]) => {
    if (!RESERVED.test(hostname)) return Reflect.apply(lookup, dns, [hostname, ...rest]);
    const callback = rest.at(-1) as (error: Error) => void;
    setImmediate(callback, notFound(hostname));
    return {};
  };
  dns.lookup = Object.defineProperties(answering, Object.getOwnPropertyDescriptors(lookup)) as typeof lookup;
  const { lookup: asking } = promises;
  promises.lookup = (async (hostname: string, ...rest: unknown[]) => {
    if (RESERVED.test(hostname)) throw notFound(hostname);
    return Reflect.apply(asking, promises, [hostname, ...rest]);
  }) as typeof asking;
  syncBuiltinESMExports();
}
