import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJsonBody } from './json.ts';
import { readMultipart, removeUploads } from './multipart.ts';
import { parseUrlencoded } from './rack.ts';
import { decodeUtf8 } from './text.ts';

/** Teaches the server the body encodings of part 1, section 1.4: JSON, urlencoded and multipart. */
export function registerBodyParsers(app: FastifyInstance, tempDir: string): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('uploads', null);
  const addTextParser = (contentType: string, parse: (text: string) => unknown) =>
    app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (_request, bytes, done) => {
      try {
        done(null, parse(decodeUtf8(bytes as Buffer)));
      } catch (error) {
        done(error as Error);
      }
    });
  addTextParser('application/json', parseJsonBody);
  addTextParser('application/x-www-form-urlencoded', parseUrlencoded);
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: Readable) =>
    readMultipart(request, body, tempDir, request.routeOptions.bodyLimit),
  );
  app.addHook('onRequest', (request, reply, done) => {
    // `close` comes whether the answer was sent or the client went away.
    if (request.headers['content-type']?.startsWith('multipart/')) {
      reply.raw.once('close', () => void removeUploads(request.uploads ?? []).catch(() => {}));
    }
    done();
  });
}
