/**
 * URL path of an upload below its project or group: `<path>/uploads/<secret>/<file>`, `groups/<path>/-/uploads/...`.
 */
const PATTERN = /^\/(groups\/)?([^/?#][^?#]*?)(\/-)?\/uploads\/([0-9a-f]{32})\/([^/?#]+)(?=$|\?)/;

/**
 * Rewrites the URL of an upload below its project or group to the routed one, in which the full path is a single
 * segment. Returns other URLs unchanged.
 */
export function rewriteUploadUrl(url: string): string {
  const match = url.includes('/uploads/') && !/^\/(?:-|api|oauth)\//.test(url) ? PATTERN.exec(url) : null;
  if (match === null) return url;
  const [matched, groups, path = '', dash, secret, file] = match;
  if ((groups === undefined) !== (dash === undefined)) return url;
  // Attachments of wikis are in the wiki repositories.
  if (path.endsWith('/-/wikis')) return url;
  return `/-/${groups === undefined ? 'project' : 'group'}/${path.replaceAll('/', '%2F')}/uploads/${secret}/${file}${url.slice(matched.length)}`;
}
