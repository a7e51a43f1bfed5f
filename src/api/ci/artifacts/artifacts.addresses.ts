const PATTERN = /^\/api\/v4\/projects\/[^/]+\/jobs\/artifacts\/(?=.)/;

/**
 * Rewrites `/projects/1/jobs/artifacts/refs/merge-requests/2/head/download` so that the ref is a single segment, since
 * clients do not encode slashes in refs. Returns other URLs unchanged.
 */
export function rewriteArtifactUrl(url: string): string {
  const prefix = PATTERN.exec(url)?.[0];
  if (prefix === undefined) return url;
  const question = url.indexOf('?');
  const path = url.slice(prefix.length, question === -1 ? undefined : question).split('/');
  const raw = path.indexOf('raw', 1);
  const end = raw !== -1 && raw < path.length - 1 ? raw : path.at(-1) === 'download' ? path.length - 1 : -1;
  if (end <= 1) return url;
  const ref = path.slice(0, end).join('%2F');
  return `${prefix}${[ref, ...path.slice(end)].join('/')}${question === -1 ? '' : url.slice(question)}`;
}
