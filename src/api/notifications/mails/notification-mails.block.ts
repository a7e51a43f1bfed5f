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

/** Maximum length of a text in a mail, and of its HTML. */
const MAX_TEXT = 50_000;
const MAX_HTML = 200_000;

/** A sentence; escaped in HTML. */
export const line = (text: string): Block => ({ text, html: `<p>${escapeHtml(text)}</p>` });

/** Sentences on separate lines. */
export const lines = (texts: readonly string[]): Block => ({
  text: texts.join('\n'),
  html: `<p>${texts.map(escapeHtml).join('<br>\n')}</p>`,
});

/** A quoted verbatim text, such as a part of a diff. */
export const quoted = (text: string): Block => ({
  text: text
    .split('\n')
    .map((each) => `> ${each}`)
    .join('\n'),
  html: `<pre style="border-left: 3px solid #ccc; padding-left: 8px">${escapeHtml(text)}</pre>`,
});

/**
 * A Markdown text of a user.
 * @param base URL of the project, for relative links
 * @param issues link rules for issues of the project's external tracker
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

/** Makes paths of attachments absolute. */
const withAddresses = (html: string, base: string): string =>
  html.replace(/ (href|src)="\/(uploads\/[^"]*)"/g, (_all, name: string, path: string) => ` ${name}="${base}/${path}"`);
