import { createHash } from 'node:crypto';
import { Busy } from '../../core/busy.ts';
import { BoundedCache } from '../../core/cache/index.ts';
import { FairSlots } from '../../core/fair-slots.ts';
import { releaseWhenIdle } from '../../core/idle-memory.ts';
import { currentScope } from '../../core/request-scope.ts';
import type { Language } from './grammars.ts';
import type { Highlighted, HighlightLimits, HighlightThread } from './highlight-thread.ts';
import { plainLines } from './plain-lines.ts';

export { highlightStyles } from './highlight.css.ts';
export type { Language };

/** Limits of texts that are highlighted at all, in characters. */
const MAX = { text: 1024 * 1024, line: 5_000, lines: 50_000, waiting: 16 * 1024 * 1024 };
/** A thread takes 20 MB and 0.1 s to start, so it is kept for a while. */
const IDLE_MS = 30_000;

/** One thread highlights all texts; a page may have a hundred, and does not wait long for them. */
const slots = new FairSlots({
  total: 1,
  perKey: 1,
  maxWaiting: 1_000,
  maxWaitingPerKey: 200,
  maxWaitMs: 5_000,
  refuse: () => new Busy(503, '503 Service Unavailable - too many texts are being highlighted', 5),
});

/** HTML in lines; null for texts that stay as they are. */
const cache = new BoundedCache<string, string | null>(
  'highlighted',
  (html, key) => 2 * ((html?.length ?? 0) + key.length) + 200,
);
const pending = new Map<string, Promise<Highlighted>>();
let waiting = 0;
let thread: HighlightThread | undefined;
let idle: NodeJS.Timeout | undefined;
releaseWhenIdle(() => {
  if (idle !== undefined) stopThread();
});

/**
 * Highlights a text. What is too long or complex, or of an unknown language, stays plain; so does all that the server
 * has no time for.
 * @param key names the text for ever: the id of its object
 * @param text as it is; its lines end with `\n` or `\r\n`
 * @param language of the file with this path, or the language with this name
 * @returns HTML of each line without its end, as many as the text split at them; spans do not go over lines, and their
 *   classes are those of `highlightStyles`
 * @throws the reason of the caller's signal
 */
export async function highlightLines(key: string, text: string, language: Language): Promise<string[]> {
  return (await highlight(key, text, language)).split('\n');
}

/**
 * Highlights a block of code, as `highlightLines` does.
 * @param language name or alias of the language, as behind the fence of the block
 * @throws the reason of the caller's signal
 */
export function highlightCode(text: string, language: string): Promise<string> {
  const digest = createHash('sha256').update(text).digest('base64');
  return highlight(digest, text, { name: language.slice(0, 100) });
}

/** Highlights within given limits, for tests. @returns HTML in lines; null for a text that stays as it is */
export async function highlightWithin(
  text: string,
  language: Language,
  limits: HighlightLimits,
): Promise<string | null> {
  const { HighlightThread } = await import('./highlight-thread.ts');
  const own = new HighlightThread(limits);
  try {
    return (await own.highlight({ text, language })).html;
  } finally {
    own.stop();
  }
}

async function highlight(key: string, text: string, language: Language): Promise<string> {
  if (!isHighlightable(text)) return plainLines(text);
  const kind = 'path' in language ? `file ${language.path.slice(language.path.lastIndexOf('/') + 1)}` : language.name;
  const whole = `${key} ${kind}`;
  const known = cache.get(whole);
  if (known !== undefined) return known ?? plainLines(text);
  const { html } = await inTurn(whole, text, language);
  return html ?? plainLines(text);
}

/** Whether a text is short enough, and so are its lines. */
function isHighlightable(text: string): boolean {
  if (text.length > MAX.text || text.trim() === '') return false;
  let lines = 0;
  for (let from = 0; from >= 0 && from < text.length; ) {
    const end = text.indexOf('\n', from);
    lines += 1;
    if ((end < 0 ? text.length : end) - from > MAX.line || lines > MAX.lines) return false;
    from = end < 0 ? end : end + 1;
  }
  return true;
}

/** Several callers with the same text share its result. */
async function inTurn(whole: string, text: string, language: Language): Promise<Highlighted> {
  const running = pending.get(whole);
  if (running !== undefined) {
    const { signal } = currentScope();
    const result = await running.catch(() => null);
    signal?.throwIfAborted();
    // The caller who had it highlighted has gone.
    return result ?? inTurn(whole, text, language);
  }
  const promise = inThread(text, language);
  pending.set(whole, promise);
  try {
    const result = await promise;
    if (result.isFinal) cache.set(whole, result.html);
    return result;
  } finally {
    pending.delete(whole);
  }
}

async function inThread(text: string, language: Language): Promise<Highlighted> {
  const notNow = { html: null, isFinal: false };
  if (waiting + text.length > MAX.waiting) return notNow;
  const { caller, signal } = currentScope();
  let release: (() => void) | undefined;
  waiting += text.length;
  try {
    release = await slots.take(caller, { signal });
    return await (await startedThread()).highlight({ text, language });
  } catch (error) {
    if (error instanceof Busy) return notNow;
    throw error;
  } finally {
    waiting -= text.length;
    if (thread !== undefined && release !== undefined) idle = setTimeout(stopThread, IDLE_MS).unref();
    release?.();
  }
}

async function startedThread(): Promise<HighlightThread> {
  clearTimeout(idle);
  idle = undefined;
  if (thread?.runs) return thread;
  const { HighlightThread } = await import('./highlight-thread.ts');
  thread = new HighlightThread();
  return thread;
}

function stopThread(): void {
  clearTimeout(idle);
  idle = undefined;
  thread?.stop();
  thread = undefined;
}
