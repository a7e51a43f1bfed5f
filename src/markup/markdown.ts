import { randomBytes } from 'node:crypto';
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { type EmojiNames, emojiNames, mayHoldEmoji, showEmoji } from './emoji-shortcodes.ts';
import { footnotes } from './footnote-rule.ts';
import { HeadingNames, headingText, ID_PREFIX } from './heading-anchors.ts';
import { addressOf, ELSEWHERE, isExternal, isSafeAddress } from './links.ts';
import { type IssueLinks, isIssueOf, linkIssues } from './markup.issue-links.ts';
import type { MarkupRequest } from './markup.request.ts';
import { linkMentions, markMentions } from './mention-tokens.ts';
import type { Mention, MentionLinks } from './mentions.ts';
import { taskLists } from './task-list-rule.ts';
import { wikiLinks } from './wiki-link-rule.ts';

/** Blocks whose text direction is detected. */
const DIRECTED = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'blockquote']);

/** What the rules need to know of one text. */
interface Known extends Env {
  issues?: IssueLinks | undefined;
  server?: string | undefined;
  mentions: Map<string, Mention>;
  emoji?: EmojiNames | undefined;
  /** Begins the names of our attributes while there is HTML of the text among them. */
  own?: string;
}

/** A Markdown text that was read. */
export interface ReadMarkdown {
  /** What it names, without duplicates. */
  mentions: Mention[];
  /** Its HTML, which can execute nothing from the text. */
  render(links: MentionLinks): Promise<string>;
}

const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.validateLink = isSafeAddress;
markdown.linkify.set({ fuzzyLink: false, fuzzyIP: false });
const WWW = /^[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,8}(?::\d{1,5})?(?:\/[^\s<>"]{0,2000})?/i;
markdown.linkify.add('www.', {
  validate: (text: string, at: number) => {
    const address = WWW.exec(text.slice(at, at + 2_500))?.[0] ?? '';
    return address.replace(/[?!.,:*_~'")]{1,2000}$/, '').length;
  },
  normalize: (match: { url: string }) => {
    match.url = `http://${match.url}`;
  },
});
markdown.use(wikiLinks).use(taskLists).use(footnotes);
// Before escaped characters are joined to their texts: they are no part of a name.
markdown.core.ruler.before('text_join', 'names', (state) => {
  const { issues, server, mentions, emoji } = state.env as Known;
  if (server !== undefined) markMentions(state, server, mentions, issues && isIssueOf(issues));
  if (emoji !== undefined) showEmoji(state, emoji);
});
markdown.core.ruler.push('issue_links', (state) => {
  const { issues } = state.env as Known;
  if (issues !== undefined) linkIssues(state, issues);
});

const { rules } = markdown.renderer;
const { escapeHtml } = markdown.utils;
rules.mention = (tokens, index) => escapeHtml(tokens[index]!.content);
rules.emoji = (tokens, index, _options, _env, self) =>
  `<gl-emoji${self.renderAttrs(tokens[index]!)}>${escapeHtml(tokens[index]!.content)}</gl-emoji>`;
rules.image = (tokens, index, options, _env, self) => self.renderToken(tokens, index, options);
rules.fence = (tokens, index, _options, _env, self) =>
  `<pre><code${self.renderAttrs(tokens[index]!)}>${escapeHtml(tokens[index]!.content)}</code></pre>\n`;

/** Reads a Markdown text. */
export async function readMarkdown(request: MarkupRequest): Promise<ReadMarkdown> {
  const { text, issues, server } = request;
  const emoji = server !== undefined && mayHoldEmoji(text) ? await emojiNames() : undefined;
  const env: Known = { issues, server, emoji, mentions: new Map() };
  const tokens = markdown.parse(text, env);
  return {
    mentions: [...env.mentions.values()],
    render: async (links) => {
      for (const token of tokens) {
        if (token.children !== null) token.children = linkMentions(token.children, links, env.mentions);
      }
      complete(tokens, request);
      if (!tokens.some((token) => isHtml(token) || token.children?.some(isHtml))) return print(tokens, env);
      const { sanitise, withoutRawTags } = await import('./sanitise.ts');
      const own = `o${randomBytes(8).toString('hex')}-`;
      for (const token of tokens) {
        for (const each of [token, ...(token.children ?? [])]) {
          if (isHtml(each)) each.content = withoutRawTags(each.content);
          if (each.attrs !== null) each.attrs = each.attrs.map(([name, value]) => [own + name, value]);
        }
      }
      return sanitise(print(tokens, { ...env, own }), own, request);
    },
  };
}

const print = (tokens: Token[], env: Known): string =>
  markdown.renderer.render(tokens, markdown.options, env).trimEnd();

const isHtml = ({ type }: Token): boolean => type === 'html_inline' || type === 'html_block';

/** Adds what blocks have beside their texts, and resolves links and images. */
function complete(tokens: readonly Token[], request: MarkupRequest): void {
  const lines = request.text.split('\n');
  const names = new HeadingNames();
  const inside: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    position(token, lines);
    align(token);
    if (token.type === 'heading_open') name(token, tokens[index + 1], names);
    if (token.type === 'fence') {
      const [language = ''] = markdown.utils.unescapeAll(token.info).trim().split(/\s+/);
      if (language !== '') token.attrSet('class', `language-${language}`);
    }
    if (token.children !== null) {
      token.children = withLinkedImages(token.children, request);
      inside.push(...token.children);
    }
  }
  for (const token of inside) lead(token, request, names);
}

/** Adds the source position of a block, and automatic text direction. */
function position(token: Token, lines: readonly string[]): void {
  if (token.nesting !== 1 || token.map === null || !DIRECTED.has(token.tag)) return;
  if (token.level === 0) {
    const [from, to] = token.map;
    let last = to;
    while (last > from + 1 && lines[last - 1]?.trim() === '') last -= 1;
    token.attrSet('data-sourcepos', `${from + 1}:1-${last}:${lines[last - 1]?.length ?? 0}`);
  }
  token.attrSet('dir', 'auto');
}

/** The alignment of a cell, without a style. */
function align(token: Token): void {
  const style = token.tag === 'td' || token.tag === 'th' ? token.attrGet('style') : null;
  if (typeof style === 'string') token.attrs = [['align', style.replace('text-align:', '')]];
}

/** Puts an anchor at the beginning of a heading. */
function name(heading: Token, inline: Token | undefined, names: HeadingNames): void {
  const id = ID_PREFIX + names.next(headingText(inline));
  const Kind = heading.constructor as new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;
  const open = new Kind('anchor_open', 'a', 1);
  open.attrs = [
    ['id', id],
    ['class', 'anchor'],
    ['href', `#${id}`],
    ['aria-hidden', 'true'],
  ];
  inline?.children?.unshift(open, new Kind('anchor_close', 'a', -1));
}

/** Images of other servers as links, if that is asked for. */
function withLinkedImages(children: Token[], { remoteImages }: MarkupRequest): Token[] {
  let within = 0;
  return children.flatMap((token) => {
    if (token.type === 'link_open') within += 1;
    if (token.type === 'link_close') within -= 1;
    if (token.type !== 'image') return [token];
    const alt = markdown.renderer.renderInlineAsText(token.children ?? [], markdown.options, {});
    token.attrSet('alt', alt);
    const source = token.attrGet('src');
    if (remoteImages !== 'link' || typeof source !== 'string' || !isExternal(source)) return [token];
    const Kind = token.constructor as new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;
    const text = new Kind('text', '', 0);
    text.content = alt || source;
    if (within > 0) return [text];
    const open = new Kind('link_open', 'a', 1);
    open.attrs = [['href', source]];
    return [open, text, new Kind('link_close', 'a', -1)];
  });
}

/** Resolves links and images. */
function lead(token: Token, request: MarkupRequest, names: HeadingNames): void {
  const image = token.type === 'image';
  const attribute = image ? 'src' : token.type === 'link_open' ? 'href' : undefined;
  const address = attribute === undefined ? null : token.attrGet(attribute);
  if (attribute === undefined || typeof address !== 'string') return;
  if (address.startsWith('#') && names.has(decoded(address.slice(1)))) {
    token.attrSet(attribute, `#${ID_PREFIX}${address.slice(1)}`);
    return;
  }
  token.attrSet(attribute, addressOf(address, request, image));
  if (image || !isExternal(address) || token.attrGet('data-reference-type') !== null) return;
  for (const [name, value] of Object.entries(ELSEWHERE)) token.attrSet(name, value);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment).toLowerCase();
  } catch {
    return fragment;
  }
}
