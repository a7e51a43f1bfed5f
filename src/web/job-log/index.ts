import { JobLogRenderer, LOG_START, type LogState } from './job-log.renderer.ts';

export { jobLogStyles } from './job-log.css.ts';
export { LOG_START, type LogState };

/** Bytes that one call renders at most, and HTML after which it stops. */
export const MAX_RENDERED = { bytes: 4 * 1024 * 1024, html: 16 * 1024 * 1024 } as const;
/** Bytes after each of which the length of the HTML is looked at. A byte becomes 110 at most. */
const STEP = 16 * 1024;

/** A part of a log as HTML. */
export interface RenderedLog {
  /**
   * All lines that have ended. It may begin and end within sections: `logBefore` and `logAfter` give what makes it whole.
   */
  html: string;
  /** Where to go on. */
  state: LogState;
  /** Bytes that were rendered: all, unless their HTML would be too long. */
  consumed: number;
}

/**
 * Renders bytes of a job's log. However a log is divided, its parts together are the same. It takes some 20 ms for a megabyte, so
 * a long one is given in parts of 64 kB, with other work in between.
 * @param bytes those after the bytes that led to the state; further ones than `MAX_RENDERED` are not looked at
 * @param state that of the part before; it stays as it is
 */
export function renderLog(bytes: Uint8Array, state: LogState = LOG_START): RenderedLog {
  const renderer = new JobLogRenderer({ ...state, bytes: '' });
  let pending = Buffer.from(state.bytes, 'hex');
  const parts: string[] = [];
  let length = 0;
  let consumed = 0;
  const end = Math.min(bytes.length, MAX_RENDERED.bytes);
  while (consumed < end && length < MAX_RENDERED.html) {
    const part = Buffer.concat([pending, bytes.subarray(consumed, Math.min(consumed + STEP, end))]);
    const whole = part.length - lengthOfBegun(part);
    renderer.add(part.toString('utf8', 0, whole));
    pending = part.subarray(whole);
    const html = renderer.takeHtml();
    parts.push(html);
    length += html.length;
    consumed = Math.min(consumed + STEP, end);
  }
  return { html: parts.join(''), state: { ...renderer.state, bytes: pending.toString('hex') }, consumed };
}

/** The begins of the sections that a part of a log is in: what precedes its HTML on a page of its own. */
export const logBefore = (state: LogState): string => new JobLogRenderer(state).reopened();

/** What follows the HTML of a part: the line that has not ended yet, and the ends of all sections. */
export function logAfter(state: LogState): string {
  const renderer = new JobLogRenderer({ ...state, bytes: '' });
  renderer.add(Buffer.from(state.bytes, 'hex').toString('utf8'));
  renderer.finish();
  return renderer.takeHtml();
}

/** Number of bytes at the end that begin a character whose end is missing. */
function lengthOfBegun(bytes: Uint8Array): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > length ? length : 0;
  }
  return 0;
}
