import { restoreBackup } from '../backup/backup.restore.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { useGitConfig } from '../git/process/index.ts';
import { parseCommand, printsHelp } from './command.ts';
import { oneLine } from './progress.ts';

const HELP = `Usage: stithy restore FOLDER [--at NAME]

Restores a backup from a folder into the configured data folder and database, which must be empty.

  --at NAME   restore the backup of this name instead of the newest
`;

/** `stithy restore`: restores a backup into an empty data folder and database. */
export async function restoreCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const { folder, name } = readArguments(args);
  const { config } = loadConfig(env);
  useGitConfig(config.dataDir);
  const progress = oneLine();
  try {
    const restored = await restoreBackup({ config, clock: systemClock, folder, name, onProgress: progress.show });
    progress.end();
    const { taken_at, content } = restored.manifest;
    process.stdout.write(
      `Restored backup ${restored.name}, taken at ${taken_at}, to ${config.dataDir}: ${content.repositories} repositories.\n` +
        'Check the installation with "stithy doctor", then start the server.\n',
    );
    return 0;
  } finally {
    progress.end();
  }
}

const readArguments = (args: readonly string[]): { folder: string; name: string | null } =>
  parseCommand(args, HELP, { at: { type: 'string' } }, ({ values, positionals }) => {
    const [folder] = positionals;
    if (folder === undefined || folder === '' || positionals.length > 1)
      throw new Error('expected exactly one folder.');
    return { folder, name: values.at ?? null };
  });
