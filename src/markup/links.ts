import type { MarkupRequest } from './markup.request.ts';

type Place = Pick<MarkupRequest, 'base' | 'slug'>;

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;
/** The end of a path that names a file. */
const FILE = /\.[a-z0-9]{1,10}$/i;

/** Whether a link leads to another server. */
export const isExternal = (href: string): boolean => /^(?:https?:)?\/\//i.test(href);

/**
 * The address that a link in a page means: one to a page starts at the root of the wiki, one with `./` and one to a file
 * at the folder of the page, `uploads/` is the folder of attachments; all others stay.
 */
export function addressOf(href: string, { base, slug }: Place): string {
  if (href === '' || href.startsWith('#') || ELSEWHERE.test(href)) return href;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if (path === '') return href;
  const relative = !path.startsWith('uploads/') && (path.startsWith('.') || FILE.test(path));
  return `${base}${relative ? resolved(path, slug) : `/${path}`}${rest}`;
}

/** Without leading out of the wiki. */
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
