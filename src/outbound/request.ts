import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { type OutboundRules, resolveOutside } from './resolve.ts';

export interface OutsideRequest {
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  /** A stream needs its `content-length` among the headers. It is destroyed with the request. */
  body?: Buffer | Readable;
  signal: AbortSignal;
  /** Milliseconds without a byte in either direction after which the connection ends; default: any. */
  idleMs?: number;
}

/**
 * Sends one request to a server elsewhere, whose address is checked now: the connection goes to what was checked and to
 * nothing else. Redirects are not followed.
 * @returns the answer, whose body is to be read or destroyed
 * @throws BlockedAddress; what the connection fails with; TypeError for headers that cannot be sent
 */
export async function requestOutside(
  url: URL,
  rules: OutboundRules,
  { method = 'GET', headers = {}, body, signal, idleMs }: OutsideRequest,
): Promise<IncomingMessage> {
  const found = (await resolveOutside(url, rules)).map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, { all }, callback) => {
    if (all === true) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = { method, agent: false, lookup, signal, headers: { 'user-agent': 'Stithy', ...headers } } as const;
    const request = send(url, options, resolve).on('error', reject);
    if (idleMs !== undefined) request.setTimeout(idleMs, () => request.destroy(new Error('no byte came')));
    if (body instanceof Readable) {
      body.on('error', (error) => request.destroy(error));
      request.on('close', () => body.destroy());
      body.pipe(request);
    } else {
      request.end(body);
    }
  });
}
