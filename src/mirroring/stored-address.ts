import { openStored, sealStored } from '../core/stored-secret.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RemoteMirror } from '../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../deps.ts';

type Box = Pick<Deps, 'secrets'>;

/** Source address of a project, with credentials; null if there is none. */
export const importUrlOf = ({ secrets }: Box, { import_url }: Pick<Project, 'import_url'>): string | null =>
  openStored(secrets, import_url, 'projects.import_url');

/**
 * Address in the form of the project's row; an unchanged address keeps its stored text.
 * @param before the project before the change
 */
export const storedImportUrl = (
  { secrets }: Box,
  before: Pick<Project, 'import_url'>,
  address: string | null,
): Project['import_url'] =>
  address === importUrlOf({ secrets }, before)
    ? before.import_url
    : address === null
      ? null
      : sealStored(secrets, address, 'projects.import_url');

/**
 * Address of a push mirror, with credentials; null if it cannot be decrypted, as after the loss of the installation's
 * key.
 */
export const mirrorUrlOf = ({ secrets }: Box, { url }: Pick<RemoteMirror, 'url'>): string | null =>
  openStored(secrets, url, 'remote_mirrors.url');
