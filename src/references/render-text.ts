import { createHash } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import { ApiError } from '../core/core.errors.ts';
import { escapeHtml } from '../core/html.ts';
import type { Deps } from '../deps.ts';
import { issueLinksOf } from '../integrations/trackers/trackers.issue-links.ts';
import { renderMarkup } from '../markup/markup.render.ts';
import type { MarkupRequest } from '../markup/markup.request.ts';
import { linksOfMentions } from './mention-links.ts';
import type { TextHome } from './mention-places.ts';

/** Text of nothing in particular. */
export const NOWHERE: TextHome = { project: null, namespace: null };

type Options = Pick<MarkupRequest, 'file' | 'remoteImages'>;

/**
 * Renders a Markdown text as safe HTML for a reader. What it names (`#1`, `@ada`, commits, addresses of this server)
 * becomes links, as far as they may see it; links and images are absolute.
 * @param home where the text belongs
 * @param more where a file is in its repository; whether images of other servers are shown
 * @throws ApiError 422 if the text is too long or complex; Busy
 */
export async function renderText(
  deps: Deps,
  reader: Caller,
  home: TextHome,
  text: string,
  more: Options = {},
): Promise<string> {
  if (text === '') return '';
  const issues = home.project === null ? undefined : await issueLinksOf(deps, home.project.id);
  const request = { ...requestOf(deps, home, text, more), server: deps.externalUrl() };
  return renderMarkup(keyOf(request), issues === undefined ? request : { ...request, issues }, (mentions) =>
    linksOfMentions(deps, reader, home, mentions),
  );
}

/**
 * As `renderText`, for one of several texts of an answer: one that is too long or complex is shown as it is.
 * @throws Busy
 */
export async function renderDescription(
  deps: Deps,
  reader: Caller,
  home: TextHome,
  text: string | null,
): Promise<string> {
  try {
    return await renderText(deps, reader, home, text ?? '');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    return `<pre dir="auto">${escapeHtml(text ?? '')}</pre>`;
  }
}

/** As `renderText`, for any reader: what the text names stays text. */
export async function renderPlainText(deps: Deps, home: TextHome, text: string, more: Options = {}): Promise<string> {
  if (text === '') return '';
  const request = requestOf(deps, home, text, more);
  return renderMarkup(keyOf(request), request);
}

const requestOf = (deps: Deps, { project }: TextHome, text: string, more: Options): MarkupRequest => ({
  text,
  format: 'markdown',
  base: project === null ? '' : `${deps.externalUrl()}/${project.full_path}`,
  slug: '',
  ...more,
});

const keyOf = ({ text, ...others }: MarkupRequest): string =>
  `${JSON.stringify(others)} ${createHash('sha256').update(text).digest('base64url')}`;
