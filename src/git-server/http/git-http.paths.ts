/** What a request below a repository's address asks for. */
const SERVICES = 'info/refs|git-upload-pack|git-receive-pack|info/lfs/.+|gitlab-lfs/objects/.+';
const PATTERN = new RegExp(`^/(.+?)\\.git/(${SERVICES})$`);

/** Where repositories are served inside the server; clients never see it. */
export const GIT_PREFIX = '/-/git';

/**
 * Turns `/group/project.git/info/refs` into a path the router can match, with the repository's path as one segment.
 * Any other address comes back as it is.
 */
export function rewriteGitUrl(url: string): string {
  if (url.startsWith('/api/') || url.startsWith(`${GIT_PREFIX}/`)) {
    // Nobody reaches the inner address from outside.
    return url.startsWith(GIT_PREFIX) ? '/-/nothing' : url;
  }
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  const match = PATTERN.exec(path);
  if (match === null) return url;
  const repository = match[1]!.split('/').map(decode).join('/');
  return `${GIT_PREFIX}/${encodeURIComponent(repository)}/${match[2]}${question === -1 ? '' : url.slice(question)}`;
}

function decode(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    // A slash or dots that hide in an encoded segment never name another repository.
    return text.includes('/') || text === '..' || text === '.' ? segment : text;
  } catch {
    return segment;
  }
}
