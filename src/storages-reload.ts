import { readStoragesFile, type StorageConfig } from './config/config.storages.ts';
import { makePrivateFolder } from './core/private-folder.ts';
import { StartupError } from './core/startup-error.ts';
import type { Db } from './db/db.schema.ts';
import { bindFolder, claimFolders } from './db/folder-claim.ts';
import type { Deps } from './deps.ts';

/**
 * Takes over what the file of storages says now: others and other weights. What cannot be taken over leaves all as it was.
 * @returns what gives folders back that were claimed
 * @throws StartupError for a file or a folder that cannot be used, or a storage that may not go
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
  // The same list, wherever it was handed to.
  now.splice(0, now.length, ...storages);
  log.log('info', 'storages were read anew', {
    storages: now.map(({ name, weight }) => `${name}=${weight}`).join(' '),
  });
  return release;
}

/** A storage is taken away once it takes nothing new and is empty, and stays where it is until then. */
async function refuseChanges(db: Db, now: readonly StorageConfig[], storages: readonly StorageConfig[]): Promise<void> {
  for (const { name, path, weight } of now) {
    const next = storages.find((storage) => storage.name === name);
    if (next !== undefined && next.path !== path)
      throw new StartupError(`The storage ${name} lies in ${path}: a folder cannot be changed while the server runs.`);
    if (next !== undefined) continue;
    if (weight > 0) throw new StartupError(`The storage ${name} takes new repositories: give it the weight 0 first.`);
    if (await isUsed(db, name))
      throw new StartupError(`The storage ${name} has repositories: move them to another one first.`);
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
