import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { tablesOf } from '../../src/db/dump/catalog.ts';
import { openSnapshot } from '../../src/db/dump/dump.snapshot.ts';
import { writeDump } from '../../src/db/dump/dump.write.ts';
import type { Deps } from '../../src/deps.ts';
import { allRepositories } from '../../src/repositories/all.ts';
import { mustGit } from './git-client.ts';

/** Tables about the processes themselves. */
const OF_PROCESSES: ReadonlySet<string> = new Set(['server_processes']);

export interface WholeState {
  /** A line for each row and each sequence, with its table. */
  rows: string[];
  /** A line for each file and folder of repositories and blobs, with the hash of its content. */
  files: string[];
}

/** Hashes of the contents of files, by what changes with them: read again only where one has changed since. */
export type KnownHashes = Map<string, string>;

function hashOf(path: string, known: KnownHashes | undefined): string {
  const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  const key = `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  const hash = known?.get(key) ?? createHash('sha256').update(readFileSync(path)).digest('hex');
  known?.set(key, hash);
  return hash;
}

/**
 * All that an instance keeps: rows, sequences, and files of repositories and blobs.
 * @param known spares many looks at the same files their contents
 */
export async function wholeState(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  known?: KnownHashes,
): Promise<WholeState> {
  const rows: string[] = [];
  const snapshot = await openSnapshot(config.database);
  try {
    let table = '';
    const shapes = (await tablesOf(db)).filter(({ name }) => !OF_PROCESSES.has(name));
    await writeDump(snapshot, config.database.kind, shapes, [], async (line) => {
      if (Array.isArray(line)) rows.push(`${table} ${JSON.stringify(line)}`);
      else if ('columns' in line) table = line.name;
      else if ('sequences' in line)
        for (const [name, value] of Object.entries(line.sequences))
          if (!OF_PROCESSES.has(name)) rows.push(`sequence ${name} ${value}`);
    });
  } finally {
    await snapshot.close();
  }
  const files: string[] = [];
  for (const root of [join(config.dataDir, 'blobs'), ...config.storages.map(({ path }) => path)]) {
    if (!existsSync(root)) continue;
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
      // What lies in a storage itself belongs to the server, and the upkeep derives the graphs from the commits.
      const full = join(root, path);
      const stats = lstatSync(full);
      if ((!path.includes('/') && !stats.isDirectory()) || path.includes('/commit-graphs')) continue;
      const content = stats.isFile() ? hashOf(full, known) : 'folder';
      files.push(`${relative(config.dataDir, full)} ${content}`);
    }
  }
  return { rows: rows.sort(), files };
}

/** Checks all repositories with git, and gives a line for each ref. */
export async function allRefs({ db, storages }: Pick<Deps, 'db' | 'storages'>): Promise<string[]> {
  const refs: string[] = [];
  for await (const { repository_storage, disk_path } of allRepositories(db)) {
    const dir = storages.dirOf({ storage: repository_storage, diskPath: disk_path });
    await mustGit(dir, ['fsck', '--full', '--strict', '--no-dangling']);
    const shown = (await mustGit(dir, ['for-each-ref'])).toString();
    refs.push(...shown.split('\n').map((line) => `${disk_path} ${line}`));
  }
  return refs;
}
