import { encodeUtf8 } from '../../core/detached-copy.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { matchesEtag, Serialized } from '../../http/http.send.ts';

/**
 * Returns a cached document, building it if there is none for the key.
 * @param key identifies everything the document is built from (`collectionVersionOf`), so that it is never stale
 * @param bytes memory for building it
 */
export async function cachedDocument(
  c: BaseContext,
  key: string,
  bytes: number,
  make: () => Promise<string>,
): Promise<Serialized> {
  const { immutableResponses } = c.deps;
  const cached = immutableResponses.peek(key);
  if (cached !== undefined) return cached.json;
  await c.hold(bytes);
  const document = new Serialized(encodeUtf8(await make()));
  return immutableResponses.setBody(key, document, {}).json;
}

/** Sends a document, or 304 if the client has it. */
export function sendDocument(c: BaseContext, { body, etag }: Serialized, contentType: string): Buffer | undefined {
  const { request, reply } = c;
  reply.header('ETag', etag).header('Cache-Control', 'max-age=0, private, must-revalidate');
  const known = request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, etag)) {
    reply.code(304).send();
    return undefined;
  }
  reply.header('Content-Type', contentType);
  return body;
}
