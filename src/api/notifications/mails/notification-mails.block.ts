import { createHash } from 'node:crypto';
import { ApiError } from '../../../core/core.errors.ts';
import { escapeHtml } from '../../../core/html.ts';
import { truncate } from '../../../core/truncate.ts';
import type { IssueLinks } from '../../../markup/markup.issue-links.ts';
import { renderMarkup } from '../../../markup/markup.render.ts';

/** A paragraph of a mail, in both of its forms. */
export interface Block {
  text: string;
  html: string;
}

/** Characters of a text that a mail shows, and of its HTML. */
const MAX_TEXT = 50_000;
const MAX_HTML = 200_000;

/** A sentence. What users wrote stays what it is in HTML. */
export const line = (text: string): Block => ({ text, html: `<p>${escapeHtml(text)}</p>` });

/** Sentences below each other. */
export const lines = (texts: readonly string[]): Block => ({
  text: texts.join('\n'),
  html: `<p>${texts.map(escapeHtml).join('<br>\n')}</p>`,
});

/** Text that stands as it was written, such as a piece of a diff, quoted. */
export const quoted = (text: string): Block => ({
  text: text
    .split('\n')
    .map((each) => `> ${each}`)
    .join('\n'),
  html: `<pre style="border-left: 3px solid #ccc; padding-left: 8px">${escapeHtml(text)}</pre>`,
});

/**
 * What a user wrote in Markdown.
 * @param base address of the project, which relative links stand below
 * @param issues how it names issues of the project's tracker elsewhere
 */
export async function markdownBlock(source: string, base: string, issues?: IssueLinks): Promise<Block> {
  const text = truncate(source, MAX_TEXT);
  return { text, html: await htmlOf(text, base, issues) };
}

async function htmlOf(text: string, base: string, issues: IssueLinks | undefined): Promise<string> {
  const key = `mail:${createHash('sha256').update(`${base}\n${text}`).digest('base64url')}`;
  try {
    const html = await renderMarkup(key, {
      ...{ text, format: 'markdown', base, slug: '' },
      ...(issues === undefined ? {} : { issues }),
    });
    if (html.length <= MAX_HTML) return `<div>${withAddresses(html, base)}</div>`;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
  }
  return `<pre>${escapeHtml(text)}</pre>`;
}

/** Attachments are named without the address of the server. */
const withAddresses = (html: string, base: string): string =>
  html.replace(/ (href|src)="\/(uploads\/[^"]*)"/g, (_all, name: string, path: string) => ` ${name}="${base}/${path}"`);
