import type { MarkupRequest } from './markup.request.ts';

type Place = Pick<MarkupRequest, 'base' | 'slug' | 'file'>;

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;
/** A path that ends in a file name. */
const FILE = /\.[a-z0-9]{1,10}$/i;
/** A file that was uploaded to a project. */
const UPLOAD = /^\/uploads\/[0-9a-f]{32}\//;
const WIKI = /\/-\/wikis$/;
/** What the URL parser of a browser ignores. */
const IGNORED = /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]/g;
/** Schemes of links; all others could run something, or are no addresses. */
export const SCHEMES = [
  ...['http', 'https', 'mailto', 'ftp', 'ftps', 'sftp', 'ssh', 'git', 'svn', 'irc', 'ircs', 'matrix', 'news', 'nntp'],
  ...['sip', 'sips', 'sms', 'tel', 'urn', 'webcal', 'xmpp', 'magnet', 'geo'],
];

/** Attributes of links to other servers. */
export const ELSEWHERE = { rel: 'nofollow noreferrer noopener', target: '_blank' } as const;

/** Whether a link leads to another server. */
export const isExternal = (href: string): boolean => /^(?:https?:)?\/\//i.test(href);

/** Whether an address may be one of a link or an image: nothing that runs, and no data. */
export function isSafeAddress(address: string): boolean {
  const [, scheme] = /^([^/?#:]*):/.exec(address.replace(IGNORED, '')) ?? [];
  return scheme === undefined || SCHEMES.includes(scheme.toLowerCase());
}

/**
 * Resolves a link or image address.
 * In a wiki, page links are relative to its root, `./` and file links to the folder of the page, and `uploads/` to the
 * attachments. In a repository, links lead to its files at the ref (`image`: to their bytes), from the folder of the
 * text or, with a leading slash, from the root. Other links are unchanged.
 */
export function addressOf(href: string, { base, slug, file }: Place, image = false): string {
  if (href === '' || href.startsWith('#') || base === '') return href;
  if (UPLOAD.test(href) && !WIKI.test(base)) return base + href;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if (file !== undefined) {
    if (path === '' || path.startsWith('//') || /^[a-z][a-z0-9+.-]*:/i.test(path)) return href;
    const ref = file.ref.split('/').map(encodeURIComponent).join('/');
    return `${base}/-/${image ? 'raw' : 'blob'}/${ref}${resolved(path, path.startsWith('/') ? '' : file.folder)}${rest}`;
  }
  if (ABSOLUTE.test(href) || path === '') return href;
  const relative = !path.startsWith('uploads/') && (path.startsWith('.') || FILE.test(path));
  return `${base}${relative ? resolved(path, slug.split('/').slice(0, -1).join('/')) : `/${path}`}${rest}`;
}

/** Keeps the path inside the wiki or repository. */
function resolved(path: string, folder: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `/${parts.map((part) => encodeURI(decoded(part)).replaceAll('?', '%3F').replaceAll('#', '%23')).join('/')}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
