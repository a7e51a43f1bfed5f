import type { PathEntry } from '../../../git/trees/index.ts';

/** Renders an entry; invalid UTF-8 in names becomes U+FFFD. @param prefix prefix of its path */
export const presentEntry = ({ oid, name, type, path, mode }: PathEntry, prefix: string) => ({
  id: oid,
  name: name.toWellFormed(),
  type,
  path: `${prefix}${path}`.toWellFormed(),
  mode,
});
