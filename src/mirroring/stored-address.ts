import { openStored, sealStored } from '../core/stored-secret.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RemoteMirror } from '../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../deps.ts';

type Box = Pick<Deps, 'secrets'>;

/** The address that a project follows or was filled from, with its credentials; null where there is none. */
export const importUrlOf = ({ secrets }: Box, { import_url }: Pick<Project, 'import_url'>): string | null =>
  openStored(secrets, import_url, 'projects.import_url');

/**
 * An address as the row of a project keeps it: the text that is there where it stays as it was.
 * @param before the project as it was
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

/** The address of a push mirror, with its credentials; null where it cannot be read, as when the key of the installation was lost. */
export const mirrorUrlOf = ({ secrets }: Box, { url }: Pick<RemoteMirror, 'url'>): string | null =>
  openStored(secrets, url, 'remote_mirrors.url');
