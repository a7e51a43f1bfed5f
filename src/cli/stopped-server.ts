import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import { makePrivateFolder } from '../core/private-folder.ts';
import { StartupError } from '../core/startup-error.ts';
import { claimData } from '../db/db.claim.ts';
import { bindFolder, claimFolders } from '../db/folder-claim.ts';
import { recoverIntentsAtStart } from '../repositories/recover-intents.ts';
import type { Instance } from '../start.ts';
import { startError } from '../start-errors.ts';
import { SeedError } from '../test-bench/seed/seed.error.ts';

/**
 * Works on the data of a server that does not run, as that server would: it does not listen, and no jobs run beside.
 * @throws StartupError if a server runs on the data, or settings or data do not allow it; errors of `work`
 */
export async function onStoppedServer<T>(
  config: Config,
  log: Logger,
  clock: Clock,
  work: (instance: Instance) => Promise<T>,
): Promise<T> {
  const undo: (() => unknown)[] = [];
  const folders = [config.dataDir, ...config.storages.map(({ path }) => path)];
  try {
    for (const folder of folders) await makePrivateFolder(folder);
    const claim = await claimData(config.database);
    undo.push(() => claim.release());
    if (!claim.alone) throw new StartupError('a server runs on this data: name it with --url.');
    undo.push(claimFolders(folders, config.database.kind === 'postgres'));
    const { open } = await import('../start.ts');
    const instance = await open(config, log, clock, true);
    undo.push(() => instance.close());
    undo.push(() => instance.server.app.close());
    for (const folder of folders) await bindFolder(folder, instance.deps.db);
    await recoverIntentsAtStart(instance.deps);
    return await work(instance);
  } catch (error) {
    throw error instanceof SeedError ? error : startError(error, config);
  } finally {
    for (const step of undo.reverse()) await step();
  }
}
