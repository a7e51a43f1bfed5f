import type { PathEntry } from '../../../git/git.tree.ts';

/** An entry as the API shows it; bytes of a name that are no UTF-8 become U+FFFD. @param prefix what its path begins with */
export const presentEntry = ({ oid, name, type, path, mode }: PathEntry, prefix: string) => ({
  id: oid,
  name: name.toWellFormed(),
  type,
  path: `${prefix}${path}`.toWellFormed(),
  mode,
});
