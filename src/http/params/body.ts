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
    /** What its body takes up; null for a request without a body that is parsed. */
    held: RequestBody | null;
  }
  interface FastifyContextConfig {
    /** Whether long texts of the body are handed on as files: of routes that take files. */
    spoolTexts?: boolean;
    /** Whether the body is handed on as it comes, be it of whatever type. */
    isBytes?: boolean;
  }
}

/** Types of bodies that are read as parameters. */
const READ = /^(application\/json|application\/x-www-form-urlencoded|multipart\/form-data) *(;|$)/i;

/**
 * Teaches the server the body encodings of part 1, section 1.4: JSON, urlencoded and multipart; JSON of another media
 * type for routes that declare it, and bytes for those that read them themselves.
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
    // A type of the client's own does not matter where there is no body. One that is read says that there is to be one.
    const said = request.headers['content-type'] ?? '';
    if (!READ.test(said) && isWithoutBody(request) && routeMatchOf(request).config.isBytes !== true) {
      delete request.headers['content-type'];
    }
    // `close` comes whether the answer was sent or the client went away.
    if (request.headers['content-type'] !== undefined) {
      reply.raw.once('close', () => void request.held?.clientLeft().catch(() => {}));
    }
    done();
  });
}

/** Whether a request has no body, not even an empty one that comes in chunks. */
function isWithoutBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}
