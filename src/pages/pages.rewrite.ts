/** Where the addresses of projects, groups and users are served inside the server. */
export const HOME = '/-/home';

/** First parts of addresses that belong to the server, so that no namespace is called so. */
const OURS = /^\/(?:-|\.well-known|api|assets|import|oauth|uploads|favicon\.ico|robots\.txt)(?:\/|$)/;
const BELOW = /^\/(.+?)\/-\/(.+)$/;
const REFS = /^\/[^/]+\/.+?\/info\/refs$/;

/**
 * Turns addresses of people, which name a project by its path as it is, into ones that the router can match, with the
 * path as one segment: `/group/project/-/raw/main/a` into `/group%2Fproject/-/raw/main/a`, `/group/project` into an
 * inner address. Any other comes back as it is.
 */
export function rewritePageUrl(url: string): string {
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  const query = question === -1 ? '' : url.slice(question);
  if (path === '/' || path.includes('//') || OURS.test(path)) return url;
  const [, owner, page] = BELOW.exec(path) ?? [];
  if (owner !== undefined) return owner.includes('/') ? `/${asSegment(owner)}/-/${page}${query}` : url;
  const home = REFS.test(path) || !path.endsWith('/') ? path.slice(1) : path.slice(1, -1);
  return `${HOME}/${asSegment(home)}${query}`;
}

/** A path of several segments as one; what is encoded in it already stays what it is. */
const asSegment = (path: string): string => path.replaceAll('/', '%2F');
