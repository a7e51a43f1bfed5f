import { pruneBackups } from '../backup/backup.prune.ts';
import { type Backup, makeBackup } from '../backup/backup.ts';
import { readManifest, snapshotNames } from '../backup/layout.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { openExisting } from '../db/database.ts';
import { useGitConfig } from '../git/process/index.ts';
import { parseCommand, printsHelp } from './command.ts';
import { oneLine } from './progress.ts';

const HELP = `Usage: stithy backup FOLDER [--keep N]
       stithy backup FOLDER --list

Backs up the installation to a folder, whether the server runs or not. Files that an earlier backup has copied there are
not copied again.

  --keep N   delete all but the newest N backups afterwards
  --list     list the backups in the folder
`;

const OPTIONS = { keep: { type: 'string' }, list: { type: 'boolean', default: false } } as const;

interface Order {
  folder: string;
  keep: number | null;
  list: boolean;
}

/**
 * `stithy backup`: backs up the installation, or lists the backups in a folder.
 * @returns 0 if the backup is complete, 1 if something could not be copied
 */
export async function backupCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const { folder, keep, list } = readArguments(args);
  if (list) return listBackups(folder);
  const { config } = loadConfig(env);
  const database = await openExisting(config.database);
  const progress = oneLine();
  try {
    useGitConfig(config.dataDir);
    const backup = await makeBackup({ config, database, clock: systemClock, folder, onProgress: progress.show });
    progress.end();
    const pruned = keep === null ? [] : await pruneBackups(folder, keep);
    report(folder, backup, pruned);
    return backup.manifest.problems.length === 0 ? 0 : 1;
  } finally {
    progress.end();
    await database.close();
  }
}

const readArguments = (args: readonly string[]): Order =>
  parseCommand(args, HELP, OPTIONS, ({ values, positionals }) => {
    const keep = values.keep === undefined ? null : Number(values.keep);
    const [folder] = positionals;
    if (folder === undefined || folder === '' || positionals.length > 1)
      throw new Error('expected exactly one folder.');
    if (keep !== null && !(Number.isInteger(keep) && keep >= 1)) throw new Error('--keep must be a positive integer.');
    return { folder, keep, list: values.list };
  });

function report(folder: string, { name, manifest, copied }: Backup, pruned: readonly string[]): void {
  const { database, content, problems } = manifest;
  const out = (line: string) => process.stdout.write(`${line}\n`);
  out(`Backup ${name} in ${folder}, taken at ${manifest.taken_at}.`);
  out(
    `  ${database.rows} rows, ${content.repositories} repositories, ${content.blobs} blobs; ${inUnits(copied)} copied.`,
  );
  for (const old of pruned) out(`  Deleted: ${old}`);
  for (const problem of problems) out(`WRONG  ${problem}`);
  if (problems.length > 0) out('Everything else is in the backup. Run "stithy doctor" to check the installation.');
}

const inUnits = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

async function listBackups(folder: string): Promise<number> {
  for (const name of await snapshotNames(folder)) {
    const { taken_at, database, content, problems } = await readManifest(folder, name);
    const wrong = problems.length === 0 ? '' : `, ${problems.length} problems`;
    process.stdout.write(`${name}  ${taken_at}  ${database.rows} rows, ${content.repositories} repositories${wrong}\n`);
  }
  return 0;
}
