import type { Deps } from '../deps.ts';

/** URL of a repository for git over HTTP. @param path path of the repository, without `.git` */
export function httpCloneAddress(
  { settings, externalUrl }: Pick<Deps, 'settings' | 'externalUrl'>,
  path: string,
): string {
  const set = settings.now.custom_http_clone_url_root?.trim() ?? '';
  // An earlier version accepted any text.
  const root = URL.canParse(set) ? set : externalUrl();
  return `${root.replace(/\/+$/, '')}/${path}.git`;
}
