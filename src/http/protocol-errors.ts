import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, badRequest } from '../core/core.errors.ts';
import type { Logger } from '../core/logger.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Refusals of invalid requests by the parser's error code. */
const REFUSALS: Record<string, [status: number, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, '408 Request Timeout - the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, '431 Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, '413 Request Entity Too Large'],
};
const MALFORMED: [status: number, message: string] = [400, '400 Bad request - not a valid HTTP/1.1 request'];

function headersAndBody(message: string, id: string): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({ message, error: message });
  const headers = {
    ...SECURITY_HEADERS,
    'X-Request-Id': id,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-cache',
    Connection: 'close',
  };
  return { headers, body };
}

/** Writes an answer to a connection without a valid request, and closes it. */
function refuse(log: Logger, socket: Duplex, status: number, message: string, code?: string): void {
  const answering = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
  if (!socket.writable || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const { headers, body } = headersAndBody(message, id);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { remoteAddress } = socket as Socket;
  log.log('info', 'request refused', { correlation_id: id, status, code, remote_ip: remoteAddress });
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

/** Answers requests that node's parser refuses, in the format of other refusals. */
export const clientErrorHandler =
  (log: Logger) =>
  (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, message] = REFUSALS[error.code ?? ''] ?? MALFORMED;
    refuse(log, socket, status, message, error.code);
  };

/** Refuses requests that node would refuse in its own format: unsupported expectations, and tunnels. */
export function rejectMalformedRequests(server: Server, log: Logger): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = headersAndBody('417 Expectation Failed - only 100-continue is supported', randomUUID());
    log.log('info', 'request refused', {
      correlation_id: headers['X-Request-Id'],
      status: 417,
      method: request.method,
    });
    response.writeHead(417, headers).end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuse(log, socket, 405, '405 Not Allowed - this server is not a proxy');
  });
}

/** Headers that must occur once (RFC 9112, 3.2; RFC 9110, 5.3): with two, a proxy may have used the other one. */
const ONCE = new Map(['Host', 'Authorization', 'Content-Type'].map((name) => [name.toLowerCase(), name]));

/** Name of a header that occurs twice although it must not. */
function repeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = ONCE.get(rawHeaders[at]!.toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** The refusal of a request without a Host header or with repeated headers: ApiError 400; undefined if it is valid. */
export function checkHost({ raw, headers }: FastifyRequest, reply: FastifyReply): ApiError | undefined {
  const twice = repeated(raw.rawHeaders);
  if (twice === undefined && (headers.host !== undefined || raw.httpVersion !== '1.1')) return undefined;
  reply.header('Connection', 'close');
  return badRequest(twice === undefined ? 'the Host header is missing' : `the ${twice} header occurs twice`);
}
