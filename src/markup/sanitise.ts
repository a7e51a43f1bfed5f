import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { addressOf, ELSEWHERE, isExternal, isSafeAddress, SCHEMES } from './links.ts';
import type { MarkupRequest } from './markup.request.ts';

const TAGS = [
  ...[
    'a',
    'abbr',
    'b',
    'bdo',
    'blockquote',
    'br',
    'caption',
    'cite',
    'code',
    'col',
    'colgroup',
    'dd',
    'del',
    'details',
  ],
  ...[
    'dfn',
    'div',
    'dl',
    'dt',
    'em',
    'figcaption',
    'figure',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
    'img',
    'ins',
  ],
  ...['kbd', 'li', 'mark', 'ol', 'p', 'pre', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'section', 'small'],
  ...[
    'span',
    'strike',
    'strong',
    'sub',
    'summary',
    'sup',
    'table',
    'tbody',
    'td',
    'tfoot',
    'th',
    'thead',
    'time',
    'tr',
  ],
  ...['tt', 'u', 'ul', 'var', 'wbr'],
];
/** Tags that only we make, and their attributes. */
const OWN_TAGS = new Set(['input', 'gl-emoji']);

/** Attributes that HTML in a text may have: everywhere, and in some tags. */
const ANYWHERE = ['dir', 'lang', 'title', 'align', 'valign', 'width', 'height'];
const ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['href', 'hreflang'],
  img: ['src', 'alt', 'longdesc'],
  ol: ['start', 'reversed', 'type'],
  ul: ['type'],
  li: ['value'],
  td: ['colspan', 'rowspan', 'headers', 'abbr'],
  th: ['colspan', 'rowspan', 'headers', 'scope', 'abbr'],
  col: ['span'],
  colgroup: ['span'],
  table: ['border', 'cellpadding', 'cellspacing', 'summary'],
  details: ['open'],
  time: ['datetime'],
  ins: ['datetime', 'cite'],
  del: ['datetime', 'cite'],
  blockquote: ['cite'],
  q: ['cite'],
};
/** Attributes that are addresses. */
const ADDRESSES = new Set(['href', 'src', 'cite', 'longdesc']);
/** Maximum depth of tags; what is deeper stays without its tag. */
const MAX_DEPTH = 100;
/** Tags whose content is no text; an element that is not allowed otherwise leaves its content. */
const RAW =
  /<(?=\/?(?:iframe|math|noembed|noframes|noscript|object|option|plaintext|script|style|svg|template|textarea|title|xmp)\b)/gi;

/** Shows the beginnings of tags whose content is no text as they are, so that nothing after them is lost. */
export const withoutRawTags = (html: string): string => html.replace(RAW, '&lt;');

const isAllowed = (tag: string, name: string): boolean =>
  ANYWHERE.includes(name) || (Object.hasOwn(ATTRIBUTES, tag) && ATTRIBUTES[tag]!.includes(name));

/**
 * Makes rendered Markdown with HTML in it safe: known tags and attributes only, all of them closed, no styles, ids,
 * classes or forms.
 * @param own begins the names of attributes that are ours and not the text's; whoever wrote it does not know it
 */
export function sanitise(html: string, own: string, request: MarkupRequest): string {
  let links = 0;
  const transform = (tagName: string, attributes: Attributes): Tag => {
    const attribs: Attributes = {};
    let ours = false;
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith(own)) {
        ours = true;
        attribs[name.slice(own.length)] = value;
      } else if (isAllowed(tagName, name) && !value.includes(own)) {
        // (A quotation mark that the text leaves open takes our tags along.)
        if (!ADDRESSES.has(name)) attribs[name] = value;
        else if (isSafeAddress(value)) attribs[name] = addressOf(value.trim(), request, tagName === 'img');
      }
    }
    if (!ours && OWN_TAGS.has(tagName)) return { tagName: 'unknown', attribs: {} };
    if (!ours && tagName === 'a' && isExternal(attribs.href ?? '')) Object.assign(attribs, ELSEWHERE);
    return { tagName, attribs };
  };
  const image = (tagName: string, attribs: Attributes): Tag => {
    const src = (attribs.src ?? '').trim();
    if (request.remoteImages !== 'link' || !isExternal(src)) return { tagName, attribs };
    const text = attribs.alt || src;
    return links > 0 ? { tagName: 'span', attribs: {}, text } : { tagName: 'a', attribs: { href: src }, text };
  };
  return sanitizeHtml(html, {
    allowedTags: [...TAGS, ...OWN_TAGS],
    // `transform` has chosen them.
    allowedAttributes: false,
    allowedSchemes: SCHEMES,
    transformTags: { img: image, '*': transform },
    onOpenTag: (name) => {
      if (name === 'a') links += 1;
    },
    onCloseTag: (name) => {
      if (name === 'a') links -= 1;
    },
    nestingLimit: MAX_DEPTH,
    parseStyleAttributes: false,
  } satisfies IOptions);
}
