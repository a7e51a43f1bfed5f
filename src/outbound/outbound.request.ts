import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { BlockedAddress, type OutboundRules, refuseCaptured, resolveExternal } from './outbound.resolve.ts';

export interface ExternalRequest {
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  /** A stream requires a `content-length` header. It is destroyed with the request. */
  body?: Buffer | Readable;
  signal: AbortSignal;
  /** Milliseconds of inactivity after which the connection is closed; default: unlimited. */
  idleMs?: number;
  /** False to accept any TLS certificate; default: those that the machine trusts. */
  verifyTls?: boolean;
  /** Whether to reuse a connection and keep it open for the next request. */
  keepAlive?: boolean;
}

/** Milliseconds that an idle connection is kept open, and number of them. */
const KEEP_ALIVE = { keepAlive: true, timeout: 4_000, maxFreeSockets: 4 } as const;
const agents = { 'http:': new HttpAgent(KEEP_ALIVE), 'https:': new HttpsAgent(KEEP_ALIVE) };
/** Errors of a reused connection that was closed by the server; the request is sent again. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

/**
 * Sends one request to another server. Its address is checked now, and the connection goes to the checked address only.
 * Redirects are not followed.
 * @returns the answer, whose body has to be read or destroyed
 * @throws BlockedAddress; connection errors; TypeError for invalid headers
 */
export async function requestExternal(
  url: URL,
  rules: OutboundRules,
  options: ExternalRequest,
): Promise<IncomingMessage> {
  if (rules.silent === true && (options.method ?? 'GET') !== 'GET') {
    throw new BlockedAddress('is blocked: only GET requests are sent in silent mode');
  }
  const resolved = await resolveExternal(url, rules);
  refuseCaptured(resolved, rules);
  const addresses = resolved.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, { all }, callback) => {
    if (all === true) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
  return send(url, lookup, options);
}

function send(url: URL, lookup: LookupFunction, sent: ExternalRequest): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body, signal, idleMs, verifyTls = true, keepAlive = false } = sent;
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp;
  const agent = keepAlive ? agents[url.protocol as keyof typeof agents] : false;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      agent,
      lookup,
      signal,
      rejectUnauthorized: verifyTls,
      headers: { 'user-agent': 'Stithy', ...headers },
    };
    const request = begin(url, options, resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      const again = request.reusedSocket && CLOSED.includes(error.code ?? '') && !(body instanceof Readable);
      if (again) resolve(send(url, lookup, { ...sent, keepAlive: false }));
      else reject(error);
    });
    if (idleMs !== undefined) request.setTimeout(idleMs, () => request.destroy(new Error('no data was received')));
    if (body instanceof Readable) {
      body.on('error', (error) => request.destroy(error));
      request.on('close', () => body.destroy());
      body.pipe(request);
    } else {
      request.end(body);
    }
  });
}
