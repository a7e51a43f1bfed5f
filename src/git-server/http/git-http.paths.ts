/** Paths below a repository's address. */
const SERVICES = 'info/refs|git-upload-pack|git-receive-pack|info/lfs/.+|gitlab-lfs/objects/.+';
const PATTERN = new RegExp(`^/(.+?)\\.git/(${SERVICES})$`);

/** Internal prefix of repository routes, invisible to clients. */
export const GIT_PREFIX = '/-/git';

/**
 * Rewrites `/group/project.git/info/refs` so that the router sees the repository's path as one segment. Returns any
 * other address unchanged.
 */
export function rewriteGitUrl(url: string): string {
  if (url.startsWith('/api/') || url.startsWith(`${GIT_PREFIX}/`)) {
    // The internal prefix is unreachable from outside.
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
    // Encoded slashes or dot segments never change the repository.
    return text.includes('/') || text === '..' || text === '.' ? segment : text;
  } catch {
    return segment;
  }
}
