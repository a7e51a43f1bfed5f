import { parseArgs } from 'node:util';
import { pruneBackups } from '../backup/backup.prune.ts';
import { type Backup, makeBackup } from '../backup/backup.ts';
import { readManifest, snapshotNames } from '../backup/layout.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import { StartupError } from '../core/startup-error.ts';
import { openExisting } from '../db/database.ts';
import { useGitConfig } from '../git/git.environment.ts';
import { oneLine } from './progress.ts';

/**
 * `stithy backup <folder> [--keep N] | --list`: backs up the installation of the settings, server running or not.
 * @returns 0 when everything is in the backup, 1 when something could not be copied
 */
export async function backupCommand(args: readonly string[], env: Environment): Promise<number> {
  const { folder, keep, list } = readArguments(args);
  if (list) return listBackups(folder);
  const { config } = loadConfig(env);
  const database = await openExisting(config.database);
  const progress = oneLine();
  try {
    useGitConfig(config.dataDir);
    const backup = await makeBackup({ config, database, clock: systemClock, folder, onProgress: progress.show });
    progress.end();
    const gone = keep === null ? [] : await pruneBackups(folder, keep);
    report(folder, backup, gone);
    return backup.manifest.problems.length === 0 ? 0 : 1;
  } finally {
    progress.end();
    await database.close();
  }
}

function readArguments(args: readonly string[]): { folder: string; keep: number | null; list: boolean } {
  const usage = 'Usage: stithy backup <folder> [--keep N]   or   stithy backup <folder> --list';
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { keep: { type: 'string' }, list: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const keep = values.keep === undefined ? null : Number(values.keep);
    const [folder] = positionals;
    if (folder === undefined || folder === '' || positionals.length > 1) throw new Error('one folder is needed.');
    if (keep !== null && !(Number.isInteger(keep) && keep >= 1)) throw new Error('--keep takes a number from 1 on.');
    return { folder, keep, list: values.list };
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${usage}`);
  }
}

function report(folder: string, { name, manifest, copied }: Backup, gone: readonly string[]): void {
  const { database, content, problems } = manifest;
  const out = (line: string) => process.stdout.write(`${line}\n`);
  out(`Backup ${name} in ${folder}: the state of ${manifest.taken_at}.`);
  out(
    `  ${database.rows} rows, ${content.repositories} repositories, ${content.blobs} blobs; ${inUnits(copied)} copied.`,
  );
  for (const old of gone) out(`  Removed: ${old}`);
  for (const problem of problems) out(`WRONG  ${problem}`);
  if (problems.length > 0) out('The rest is in the backup. See what "stithy doctor" says.');
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
