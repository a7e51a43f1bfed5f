import { encodeUtf8 } from '../../core/detached-copy.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { matchesEtag, Serialized } from '../../http/http.send.ts';

/**
 * A document that tools ask for again and again: made when there is none for the key, then kept.
 * @param key names all that it is made of (`collectionVersionOf`), so that a kept one is never stale
 * @param bytes of memory that making it takes
 */
export async function cachedDocument(
  c: BaseContext,
  key: string,
  bytes: number,
  make: () => Promise<string>,
): Promise<Serialized> {
  const { immutableResponses } = c.deps;
  const kept = immutableResponses.peek(key);
  if (kept !== undefined) return kept.json;
  await c.hold(bytes);
  const document = new Serialized(encodeUtf8(await make()));
  return immutableResponses.setBody(key, document, {}).json;
}

/** Answers with a document, or with 304 to whoever has it. */
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
