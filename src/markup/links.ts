import type { MarkupRequest } from './markup.request.ts';

type Place = Pick<MarkupRequest, 'base' | 'slug'>;

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;
/** A path that ends in a file name. */
const FILE = /\.[a-z0-9]{1,10}$/i;

/** Whether a link leads to another server. */
export const isExternal = (href: string): boolean => /^(?:https?:)?\/\//i.test(href);

/**
 * Resolves a link in a wiki page: page links are relative to the root of the wiki, `./` and file links to the folder of
 * the page, and `uploads/` to the attachments; other links are unchanged.
 */
export function addressOf(href: string, { base, slug }: Place): string {
  if (href === '' || href.startsWith('#') || ELSEWHERE.test(href)) return href;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if (path === '') return href;
  const relative = !path.startsWith('uploads/') && (path.startsWith('.') || FILE.test(path));
  return `${base}${relative ? resolved(path, slug) : `/${path}`}${rest}`;
}

/** Keeps the path inside the wiki. */
function resolved(path: string, slug: string): string {
  const parts = slug.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `/${parts.map((part) => encodeURI(decoded(part))).join('/')}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
