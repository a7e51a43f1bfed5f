/** A file below the address of a project or group: `<path>/uploads/<secret>/<file>`, `groups/<path>/-/uploads/...`. */
const PATTERN = /^\/(groups\/)?([^/?#][^?#]*?)(\/-)?\/uploads\/([0-9a-f]{32})\/([^/?#]+)(?=$|\?)/;

/**
 * Turns the address of an uploaded file below its project or group into the one that is routed, which names the project
 * or group in one segment. Any other address comes back as it is.
 */
export function rewriteUploadUrl(url: string): string {
  const match = url.includes('/uploads/') && !/^\/(?:-|api|oauth)\//.test(url) ? PATTERN.exec(url) : null;
  if (match === null) return url;
  const [matched, groups, path = '', dash, secret, file] = match;
  if ((groups === undefined) !== (dash === undefined)) return url;
  // Attachments of wikis lie in the repositories of these.
  if (path.endsWith('/-/wikis')) return url;
  return `/-/${groups === undefined ? 'project' : 'group'}/${path.replaceAll('/', '%2F')}/uploads/${secret}/${file}${url.slice(matched.length)}`;
}
