import type { Readable } from 'node:stream';

/** More than the line that ends a body takes: two line ends, four dashes, and a boundary as long as the parser takes it. */
const MAX_END = 270;
/** The line that ends a body, where a bare line feed stands before it. */
const BARE_END = /[^\r](?=\n--[^\r\n]+--(?:\r?\n)?$)/;

/**
 * A multipart body as it comes, by chunks, which ends as RFC 2046 (5.1.1) has it: where a bare line feed stands before the line that
 * ends the body, as NuGet sends it from Linux, there is a whole line end. Nothing before that line is looked at, for it may be the
 * content of a file.
 */
export async function* multipartChunks(body: Readable): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  // The connection stays, for the answer.
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
