/** Program of the thread that highlights. Other modules import it for its URL only. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { Language } from './grammars.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-highlight';

/** A text to be highlighted. */
export interface HighlightRequest {
  text: string;
  language: Language;
}

/** `html`: lines; null for a text that stays as it is. */
export type FromHighlighter = { type: 'ready' } | { type: 'done'; html: string | null };

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  // Grammars are loaded in this thread alone.
  const { highlightText } = await import('./highlight-text.ts');
  const { languageDetector } = await import('../../core/language-detection.ts');
  await languageDetector();
  const post = (message: FromHighlighter) => port.postMessage(message);
  port.on('message', async ({ text, language }: HighlightRequest) => {
    post({ type: 'done', html: await highlightText(text, language) });
  });
  post({ type: 'ready' });
}

if (!isMainThread && parentPort !== null && workerData === WORKER) void serve(parentPort);
