import { parseArgs } from 'node:util';
import { restoreBackup } from '../backup/backup.restore.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { StartupError } from '../core/startup-error.ts';
import { useGitConfig } from '../git/git.environment.ts';
import { oneLine } from './progress.ts';

/** `stithy restore <folder> [--at NAME]`: puts a backup into the empty data folder and database of the settings. */
export async function restoreCommand(args: readonly string[], env: Environment): Promise<number> {
  const { folder, name } = readArguments(args);
  const { config } = loadConfig(env);
  useGitConfig(config.dataDir);
  const progress = oneLine();
  try {
    const restored = await restoreBackup({ config, clock: systemClock, folder, name, onProgress: progress.show });
    progress.end();
    const { taken_at, content } = restored.manifest;
    process.stdout.write(
      `Restored the backup ${restored.name}, the state of ${taken_at}, to ${config.dataDir}: ${content.repositories} repositories.\n` +
        'Look it over with "stithy doctor", then start the server.\n',
    );
    return 0;
  } finally {
    progress.end();
  }
}

function readArguments(args: readonly string[]): { folder: string; name: string | null } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { at: { type: 'string' } },
      allowPositionals: true,
    });
    const [folder] = positionals;
    if (folder === undefined || folder === '' || positionals.length > 1) throw new Error('one folder is needed.');
    return { folder, name: values.at ?? null };
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\nUsage: stithy restore <folder> [--at NAME]`);
  }
}
