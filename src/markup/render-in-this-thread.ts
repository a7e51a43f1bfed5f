import { escapeHtml } from '../core/html.ts';
import { type ReadMarkdown, readMarkdown } from './markdown.ts';
import type { MarkupRequest } from './markup.request.ts';

/** Reads a text in this thread, to be rendered when it is known what its names lead to. */
export const readInThisThread = async (request: MarkupRequest): Promise<ReadMarkdown> =>
  request.format === 'markdown'
    ? readMarkdown(request)
    : { mentions: [], render: async () => `<pre dir="auto">${escapeHtml(request.text)}</pre>` };

/** Renders in this thread. */
export const renderInThisThread = async (request: MarkupRequest): Promise<string> =>
  (await readInThisThread(request)).render({});
