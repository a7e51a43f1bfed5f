import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ANONYMOUS, rateLimitKeyOf } from '../../access/caller.ts';
import { ApiError } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { routeMatchOf } from '../route-match.ts';
import { jsonBounds, parseJsonBody } from './json.ts';
import { readMultipart } from './multipart.ts';
import { readText, type TextKind } from './params.read-body.ts';
import { parseUrlencoded } from './rack.ts';
import { RequestBody } from './request-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Resources of its body; null if the request has no parsed body. */
    held: RequestBody | null;
  }
  interface FastifyContextConfig {
    /** Whether long texts of the body are passed on as files; for routes that accept files. */
    spoolTexts?: boolean;
    /** Whether the body is passed on as a stream, whatever its type. */
    isBytes?: boolean;
  }
}

/** Types of bodies that are parsed as parameters. */
const READ = /^(application\/json|application\/x-www-form-urlencoded|multipart\/form-data) *(;|$)/i;

/**
 * Registers the body encodings of part 1, section 1.4: JSON, urlencoded and multipart; JSON of another media type for
 * routes that declare it, and raw bodies.
 */
export function registerBodyParsers(app: FastifyInstance, deps: Deps): void {
  const folder = join(deps.config.dataDir, 'tmp');
  app.removeAllContentTypeParsers();
  app.decorateRequest('held', null);

  function ownerOf(request: FastifyRequest): RequestBody {
    const share = rateLimitKeyOf(request.caller ?? ANONYMOUS, request.ip);
    const owner = new RequestBody(folder, (cost, signal) => deps.memory.take(share, { cost, signal }));
    request.held = owner;
    return owner;
  }

  const add = (contentType: string, read: (request: FastifyRequest, body: Readable) => Promise<object>) =>
    app.addContentTypeParser(contentType, async (request: FastifyRequest, body: Readable) =>
      routeMatchOf(request).config.isBytes === true ? body : read(request, body),
    );
  const text =
    (kind: TextKind, parse: (text: string, request: FastifyRequest) => object) =>
    (request: FastifyRequest, body: Readable) => {
      const { bodyLimit: limit, config } = routeMatchOf(request);
      const options = { limit, owner: ownerOf(request), spoolTexts: config.spoolTexts === true };
      return readText(request, body, kind, (read) => parse(read, request), options);
    };
  const json = text('json', (read, { caller }) =>
    parseJsonBody(read, jsonBounds((caller ?? ANONYMOUS).credential.kind !== 'none')),
  );
  add('application/json', json);
  add(
    'application/x-www-form-urlencoded',
    text('form', (read) => parseUrlencoded(read)),
  );
  add('multipart/form-data', (request, body) =>
    readMultipart(request, body, ownerOf(request), routeMatchOf(request).bodyLimit),
  );
  add('*', async (request, body) => {
    const [mediaType = ''] = String(request.headers['content-type'] ?? '').split(';');
    if (mediaType.trim().toLowerCase() === routeMatchOf(request).config.mediaType) return json(request, body);
    throw new ApiError(415, '415 Unsupported Media Type');
  });
  app.addHook('onRequest', (request, reply, done) => {
    // An unknown content type is ignored without a body. A parsed type announces a body.
    const contentType = request.headers['content-type'] ?? '';
    if (!READ.test(contentType) && isWithoutBody(request) && routeMatchOf(request).config.isBytes !== true) {
      delete request.headers['content-type'];
    }
    // `close` is emitted whether the answer was sent or the client disconnected.
    if (request.headers['content-type'] !== undefined) {
      reply.raw.once('close', () => void request.held?.clientLeft().catch(() => {}));
    }
    done();
  });
}

/** Whether a request has no body, not even an empty chunked one. */
function isWithoutBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}
