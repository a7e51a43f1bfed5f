import MarkdownIt, { type Token } from 'markdown-it';
import { addressOf, isExternal } from './links.ts';
import { type IssueLinks, linkIssues } from './markup.issue-links.ts';
import type { MarkupRequest } from './markup.request.ts';

/** Blocks whose text direction is detected. */
const DIRECTED = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'blockquote']);
const PICTURE = /\.(?:png|jpe?g|gif|svg|webp|bmp)$/i;

/** Maximum length of a link in double brackets. */
const MAX_LINK = 500;

// HTML in the text is escaped, and links that execute code are not links.
const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/** `[[Page]]` and `[[text|page]]`, the links between wiki pages. */
markdown.inline.ruler.before('link', 'wiki_link', (state, silent) => {
  if (!state.src.startsWith('[[', state.pos)) return false;
  const near = state.src.slice(state.pos + 2, state.pos + MAX_LINK);
  const length = near.indexOf(']]');
  const inner = near.slice(0, Math.max(length, 0));
  if (inner.trim() === '' || /[[\n]/.test(inner)) return false;
  if (!silent) {
    const [text = '', page = text] = inner.split('|').map((part) => part.trim());
    const href = state.md.normalizeLink(page.replaceAll(' ', '-'));
    if (!state.md.validateLink(href)) return false;
    if (PICTURE.test(page)) {
      const image = state.push('image', 'img', 0);
      image.attrs = [
        ['src', href],
        ['alt', ''],
      ];
      image.content = text;
      image.children = [];
    } else {
      state.push('link_open', 'a', 1).attrs = [['href', href]];
      state.push('text', '', 0).content = text;
      state.push('link_close', 'a', -1);
    }
  }
  state.pos += length + 4;
  return true;
});

markdown.core.ruler.push('issue_links', (state) => {
  const { issues } = state.env as { issues?: IssueLinks };
  if (issues !== undefined) linkIssues(state, issues);
});

/** Renders Markdown as HTML that cannot execute anything from the text. */
export function markdownToHtml(request: MarkupRequest): string {
  const tokens = markdown.parse(request.text, { issues: request.issues });
  const lines = request.text.split('\n');
  for (const token of tokens) {
    complete(token, lines);
    for (const child of token.children ?? []) lead(child, request);
  }
  return markdown.renderer.render(tokens, markdown.options, {}).trimEnd();
}

/** Adds the source position of a block, and automatic text direction. */
function complete(token: Token, lines: readonly string[]): void {
  if (token.nesting !== 1 || token.map === null || !DIRECTED.has(token.tag)) return;
  if (token.level === 0) {
    const [from, to] = token.map;
    let last = to;
    while (last > from + 1 && lines[last - 1]?.trim() === '') last -= 1;
    token.attrSet('data-sourcepos', `${from + 1}:1-${last}:${lines[last - 1]?.length ?? 0}`);
  }
  token.attrSet('dir', 'auto');
}

/** Resolves links and images. */
function lead(token: Token, place: Pick<MarkupRequest, 'base' | 'slug'>): void {
  const name = token.type === 'image' ? 'src' : token.type === 'link_open' ? 'href' : undefined;
  const address = name === undefined ? null : token.attrGet(name);
  if (name === undefined || typeof address !== 'string') return;
  token.attrSet(name, addressOf(address, place));
  if (name === 'href' && isExternal(address)) {
    token.attrSet('rel', 'nofollow noreferrer noopener');
    token.attrSet('target', '_blank');
  }
}
