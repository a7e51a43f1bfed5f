import type { Deps } from '../deps.ts';

/** The address of a repository for git over HTTP. @param path of it, without `.git` */
export function httpCloneAddress(
  { settings, externalUrl }: Pick<Deps, 'settings' | 'externalUrl'>,
  path: string,
): string {
  const set = settings.now.custom_http_clone_url_root?.trim() ?? '';
  // An earlier version took any text.
  const root = URL.canParse(set) ? set : externalUrl();
  return `${root.replace(/\/+$/, '')}/${path}.git`;
}
