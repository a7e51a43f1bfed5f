import { escapeHtml } from '../core/html.ts';
import { markdownToHtml } from './markdown.ts';
import type { MarkupRequest } from './markup.request.ts';

/** Renders in this thread. */
export const renderInThisThread = (request: MarkupRequest): string =>
  request.format === 'markdown' ? markdownToHtml(request) : `<pre dir="auto">${escapeHtml(request.text)}</pre>`;
