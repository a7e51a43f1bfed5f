import { readStoragesFile, type StorageConfig } from './config/config.storages.ts';
import { makePrivateFolder } from './core/private-folder.ts';
import { StartupError } from './core/startup-error.ts';
import type { Db } from './db/db.schema.ts';
import { bindFolder, claimFolders } from './db/folder-claim.ts';
import type { Deps } from './deps.ts';

/**
 * Applies changes of the storages file: added and removed storages and new weights. If a change is not possible,
 * nothing is applied.
 * @returns a function that releases the claims on added folders
 * @throws StartupError for an unusable file or folder, or a storage that cannot be removed
 */
export async function reloadStorages(deps: Deps): Promise<() => void> {
  const { config, db, log } = deps;
  const now = config.storages;
  const storages = config.storagesFile === null ? now : readStoragesFile(config.storagesFile);
  await refuseChanges(db, now, storages);
  const added = storages.filter(({ name }) => !now.some((storage) => storage.name === name)).map(({ path }) => path);
  for (const path of added) await makePrivateFolder(path);
  const release = claimFolders(added, config.database.kind === 'postgres');
  try {
    for (const path of added) await bindFolder(path, db);
  } catch (error) {
    release();
    throw error;
  }
  // Changes the list in place, because others hold a reference to it.
  now.splice(0, now.length, ...storages);
  log.log('info', 'storages file reloaded', {
    storages: now.map(({ name, weight }) => `${name}=${weight}`).join(' '),
  });
  return release;
}

/** A storage can only be removed when its weight is 0 and it is empty; its path cannot change. */
async function refuseChanges(db: Db, now: readonly StorageConfig[], storages: readonly StorageConfig[]): Promise<void> {
  for (const { name, path, weight } of now) {
    const next = storages.find((storage) => storage.name === name);
    if (next !== undefined && next.path !== path)
      throw new StartupError(`The folder of storage ${name} cannot be changed while the server runs. It is ${path}.`);
    if (next !== undefined) continue;
    if (weight > 0)
      throw new StartupError(
        `Storage ${name} still accepts new repositories. Set its weight to 0 before you remove it.`,
      );
    if (await isUsed(db, name))
      throw new StartupError(
        `Storage ${name} still has repositories. Move them to another storage before you remove it.`,
      );
  }
}

async function isUsed(db: Db, name: string): Promise<boolean> {
  for (const table of ['projects', 'snippets', 'wikis'] as const) {
    const row = await db
      .selectFrom(table)
      .select('id')
      .where('repository_storage', '=', name)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  const move = await db
    .selectFrom('repository_storage_moves')
    .select('id')
    .where('state', 'in', ['scheduled', 'started', 'replicated'])
    .where((eb) => eb.or([eb('source_storage_name', '=', name), eb('destination_storage_name', '=', name)]))
    .limit(1)
    .executeTakeFirst();
  return move !== undefined;
}
