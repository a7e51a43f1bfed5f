import { createHash } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import type { Deps } from '../deps.ts';
import { issueLinksOf } from '../integrations/trackers/trackers.issue-links.ts';
import { renderMarkup } from '../markup/markup.render.ts';
import type { MarkupRequest } from '../markup/markup.request.ts';
import { linksOfMentions } from './mention-links.ts';
import type { TextHome } from './mention-places.ts';

/** Text of nothing in particular. */
export const NOWHERE: TextHome = { project: null, namespace: null };

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
  more: Pick<MarkupRequest, 'file' | 'remoteImages'> = {},
): Promise<string> {
  if (text === '') return '';
  const server = deps.externalUrl();
  const issues = home.project === null ? undefined : await issueLinksOf(deps, home.project.id);
  const request: MarkupRequest = {
    text,
    format: 'markdown',
    base: home.project === null ? '' : `${server}/${home.project.full_path}`,
    slug: '',
    server,
    ...more,
    ...(issues === undefined ? {} : { issues }),
  };
  const key = JSON.stringify([request.base, server, more.file, more.remoteImages, digestOf(text)]);
  return renderMarkup(key, request, (mentions) => linksOfMentions(deps, reader, home, mentions));
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
