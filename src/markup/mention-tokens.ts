import type { StateCore, Token } from 'markdown-it';
import { MAX_MENTIONS, type Mention, type MentionLink, mentionKey, mentionOfAddress, mentionsIn } from './mentions.ts';
import { changeTexts, SplitText } from './text-tokens.ts';

/** Maximum number of places in one text that lead to something. */
const MAX_PLACES = 5_000;

interface Named {
  key: string;
  /** Comment that the address leads to. */
  note?: string;
  /** Address that was written instead of a name. */
  address?: string;
}

/**
 * Marks what a text names, and notes it in `mentions`, by key.
 * @param isOther whether a name is of something else
 */
export function markMentions(
  state: StateCore,
  server: string,
  mentions: Map<string, Mention>,
  isOther?: (name: string) => boolean,
): void {
  let places = 0;
  const isKept = (mention: Mention): boolean => {
    const key = mentionKey(mention);
    if (places >= MAX_PLACES || (!mentions.has(key) && mentions.size >= MAX_MENTIONS)) return false;
    places += 1;
    mentions.set(key, mention);
    return true;
  };
  const follow = (link: Token, inside: Token | undefined): void => {
    const address = link.info === 'auto' && inside?.type === 'text' ? link.attrGet('href') : null;
    const found = typeof address === 'string' ? mentionOfAddress(address, server) : undefined;
    if (found === undefined || !isKept(found.mention)) return;
    link.meta = { key: mentionKey(found.mention), note: found.note, address };
  };
  changeTexts(
    state,
    (token) => {
      const split = new SplitText(state, token.content);
      for (const { mention, start, end } of mentionsIn(token.content)) {
        if (isOther?.(token.content.slice(start, end)) || !isKept(mention)) continue;
        const marked = new state.Token('mention', '', 0);
        marked.content = token.content.slice(start, end);
        marked.meta = { key: mentionKey(mention) };
        split.put(start, end, marked);
      }
      return split.finish(token);
    },
    follow,
  );
}

/** Puts links in the places of what a text names. */
export function linkMentions(
  children: readonly Token[],
  links: Readonly<Record<string, MentionLink>>,
  mentions: ReadonlyMap<string, Mention>,
): Token[] {
  return children.flatMap((token, index) => {
    const named = token.meta as Named | null;
    if (token.type === 'mention') {
      const link = Object.hasOwn(links, named!.key) ? links[named!.key]! : undefined;
      return link === undefined ? [token] : asLink(token, link, mentions.get(named!.key)!);
    }
    if (token.type === 'link_open' && named?.address !== undefined && Object.hasOwn(links, named.key)) {
      const link = links[named.key]!;
      token.attrs = attributesOf(link, mentions.get(named.key)!, named.address);
      const inside = children[index + 1]!;
      inside.content = named.note === undefined ? link.text : `${link.text} (comment ${named.note})`;
      inside.meta = null;
    }
    return [token];
  });
}

/** Kinds whose names are shown as they were written. */
const AS_WRITTEN = new Set(['issue', 'merge_request', 'snippet', 'user']);

function asLink(mention: Token, link: MentionLink, { kind }: Mention): Token[] {
  const Kind = mention.constructor as new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;
  const open = new Kind('link_open', 'a', 1);
  open.attrs = attributesOf(link, { kind }, mention.content);
  const text = new Kind('text', '', 0);
  text.content = AS_WRITTEN.has(kind) ? mention.content : link.text;
  return [open, text, new Kind('link_close', 'a', -1)];
}

const attributesOf = (
  { href, title, data }: MentionLink,
  { kind }: Pick<Mention, 'kind'>,
  written: string,
): [string, string][] => {
  const type = kind === 'range' ? 'commit_range' : kind;
  return [
    ['href', href.startsWith('#') || !/#/.test(written) || !/^https?:/.test(written) ? href : written],
    ['title', title],
    // As clients know it.
    ['class', `gfm gfm-${kind === 'user' ? 'project_member' : type}`],
    ['data-reference-type', type],
    ['data-original', written],
    ...Object.entries(data).map(([name, value]): [string, string] => [`data-${name}`, String(value)]),
  ];
};
