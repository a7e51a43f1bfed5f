import type { Readable } from 'node:stream';

/** More than the final line of a body: two line ends, four dashes, and the longest boundary. */
const MAX_END = 270;
/** The final line of a body after a bare line feed. */
const BARE_END = /[^\r](?=\n--[^\r\n]+--(?:\r?\n)?$)/;

/**
 * Passes a multipart body on in chunks, with an end as in RFC 2046 (5.1.1): a bare line feed before the final line, as
 * sent by NuGet on Linux, becomes a whole line end. The rest is not touched, because it may be the content of a file.
 */
export async function* multipartChunks(body: Readable): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  // The connection stays open for the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const joined: Buffer = Buffer.concat([held, chunk]);
    const done = Math.max(0, joined.length - MAX_END);
    if (done > 0) yield joined.subarray(0, done);
    held = joined.subarray(done);
  }
  const tail = Math.max(0, held.length - MAX_END);
  const bare = BARE_END.exec(held.toString('latin1', tail));
  if (bare === null) {
    if (held.length > 0) yield held;
    return;
  }
  const at = tail + bare.index + 1;
  yield held.subarray(0, at);
  yield Buffer.concat([Buffer.from('\r'), held.subarray(at)]);
}
