import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ANONYMOUS, shareOf } from '../../access/caller.ts';
import type { Deps } from '../../deps.ts';
import { parseJsonBody } from './json.ts';
import { readMultipart } from './multipart.ts';
import { parseUrlencoded } from './rack.ts';
import { readText, type TextKind } from './read-body.ts';
import { RequestBody } from './request-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body takes up; null for a request without a body that is parsed. */
    held: RequestBody | null;
  }
  interface FastifyContextConfig {
    /** Whether long texts of the body are handed on as files: of routes that take files. */
    spoolTexts?: boolean;
  }
}

/** Teaches the server the body encodings of part 1, section 1.4: JSON, urlencoded and multipart. */
export function registerBodyParsers(app: FastifyInstance, deps: Deps): void {
  const folder = join(deps.config.dataDir, 'tmp');
  app.removeAllContentTypeParsers();
  app.decorateRequest('held', null);

  function ownerOf(request: FastifyRequest): RequestBody {
    const share = shareOf(request.caller ?? ANONYMOUS, request.ip);
    const owner = new RequestBody(folder, (cost, signal) => deps.memory.take(share, { cost, signal }));
    request.held = owner;
    return owner;
  }

  const addTextParser = (contentType: string, kind: TextKind, parse: (text: string) => object) =>
    app.addContentTypeParser(contentType, (request: FastifyRequest, body: Readable) => {
      const { bodyLimit: limit, config } = request.routeOptions;
      const options = { limit, owner: ownerOf(request), spoolTexts: config.spoolTexts === true };
      return readText(request, body, kind, parse, options);
    });
  addTextParser('application/json', 'json', parseJsonBody);
  addTextParser('application/x-www-form-urlencoded', 'form', parseUrlencoded);
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: Readable) =>
    readMultipart(request, body, ownerOf(request), request.routeOptions.bodyLimit),
  );
  app.addHook('onRequest', (request, reply, done) => {
    // `close` comes whether the answer was sent or the client went away.
    if (request.headers['content-type'] !== undefined) {
      reply.raw.once('close', () => void request.held?.clientLeft().catch(() => {}));
    }
    done();
  });
}
