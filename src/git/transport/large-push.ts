import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { TransportEnd, TransportSession } from './session.ts';

/** Larger packs stay packed, however few objects they have: git would compress each again to unpack it. */
export const MAX_UNPACKED_BYTES = 1024 * 1024;
/** Maximum number of pushed objects that git unpacks (`receive.unpackLimit`). */
const MAX_UNPACKED_OBJECTS = 100;
/** `PACK` and the version, a sequence that cannot occur in a ref name. */
const PACK = Buffer.from('PACK\0\0\0\x02');

/** Runs git for a push until it exits or the signal aborts. */
export type StartPush = (input: Readable, signal: AbortSignal) => Promise<TransportSession>;

/** Whether git would unpack a push that starts with these bytes. */
function isUnpacked(start: Buffer): boolean {
  const at = start.indexOf(PACK);
  if (at === -1 || start.length < at + PACK.length + 4) return false;
  return start.readUInt32BE(at + PACK.length) <= MAX_UNPACKED_OBJECTS;
}

/** Writes with back-pressure. @throws the error of the reading side */
async function write(target: PassThrough, chunk: Buffer): Promise<void> {
  if (target.destroyed) throw target.errored ?? new Error('the input is no longer read');
  if (target.write(chunk)) return;
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race(['drain', 'close'].map((event) => once(target, event, { signal }).catch(() => {})));
  stop.abort();
}

/**
 * Handles a push whose size is unknown when git starts, as over SSH. If it turns out to have few objects but many
 * bytes, a second git takes over and keeps them packed; objects unpacked by the first one are removed with its
 * quarantine.
 * @param input data of the client
 * @param first advertises the refs and unpacks few objects
 * @param second accepts the same commands without the advertisement and keeps objects packed
 * @param signal aborts the push
 * @throws errors of `first`
 */
export async function receiveOfUnknownSize(
  input: Readable,
  first: StartPush,
  second: StartPush,
  signal: AbortSignal = new AbortController().signal,
): Promise<TransportSession> {
  const replaced = new AbortController();
  const gone = new AbortController();
  const begun = new PassThrough();
  const before = await first(begun, AbortSignal.any([signal, replaced.signal]));
  const output = new PassThrough();
  output.on('error', () => {}).once('close', () => gone.abort());
  const done = Promise.withResolvers<TransportEnd>();
  let isOver = false;
  const show = (session: TransportSession) => {
    const { output: shown } = session;
    const end = () => shown.destroy();
    gone.signal.addEventListener('abort', end, { once: true });
    if (gone.signal.aborted) end();
    shown.once('error', (error) => {
      if (session !== before || !replaced.signal.aborted) output.destroy(error);
    });
    shown.pipe(output);
    void session.done.then((ended) => {
      if (session === before && replaced.signal.aborted) return;
      isOver = true;
      done.resolve(ended);
    });
  };
  show(before);

  const replace = async (target: PassThrough): Promise<void> => {
    before.output.unpipe(output).resume();
    replaced.abort();
    await before.done;
    second(target, AbortSignal.any([signal, gone.signal])).then(show, (failure: unknown) => {
      target.destroy();
      output.destroy(failure instanceof Error ? failure : new Error(String(failure)));
      done.resolve({ code: 128, stderr: '', killed: null, failure });
    });
  };
  const copy = async (): Promise<void> => {
    let target = begun;
    let start: Buffer[] | null = [];
    let size = 0;
    try {
      for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        let next = chunk;
        start?.push(chunk);
        if (start !== null && size > MAX_UNPACKED_BYTES) {
          const all = Buffer.concat(start);
          start = null;
          if (!isOver && isUnpacked(all)) {
            target = new PassThrough();
            await replace(target);
            next = all;
          }
        }
        await write(target, next);
      }
      target.end();
    } catch (error) {
      input.destroy();
      target.destroy(error as Error);
    }
  };
  void copy();
  return { output, done: done.promise };
}
