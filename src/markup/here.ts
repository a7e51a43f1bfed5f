import { escapeHtml } from '../core/html.ts';
import { markdownToHtml } from './markdown.ts';
import type { MarkupRequest } from './request.ts';

/** Renders in this thread. */
export const renderHere = (request: MarkupRequest): string =>
  request.format === 'markdown' ? markdownToHtml(request) : `<pre dir="auto">${escapeHtml(request.text)}</pre>`;
