/** Internal prefix of the addresses of projects, groups and users. */
export const HOME = '/-/home';

/** First path segments of the server itself, which no namespace can have. */
const OURS =
  /^\/(?:-|\.well-known|api|assets|explore|help|import|oauth|uploads|users|favicon\.ico|robots\.txt)(?:\/|$)/;
const BELOW = /^\/(.+?)\/-\/(.+)$/;
const REFS = /^\/[^/]+\/.+?\/info\/refs$/;

/**
 * Rewrites web addresses that contain a project's full path, so that the router sees the path as one segment:
 * `/group/project/-/raw/main/a` becomes `/group%2Fproject/-/raw/main/a`, and `/group/project` an internal address.
 * Other addresses are returned unchanged.
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

/** Joins several segments into one; existing encodings are kept. */
const asSegment = (path: string): string => path.replaceAll('/', '%2F');
