import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachWithConcurrency } from '../core/concurrency.ts';
import type { Snapshot } from '../db/dump/dump.snapshot.ts';
import { copyObjectFiles } from '../git/objects/index.ts';
import type { Storages } from '../git/repository/index.ts';
import { HOLDER_TYPES, type HolderType, holderTypes } from '../repositories/holder.ts';
import type { JsonLinesWriter } from './json-lines.ts';
import { type HolderKey, objectsIn, type RepositoryLine } from './layout.ts';

/** Number of repositories copied in parallel. */
const LANES = 4;

const placesOf = (type: HolderType): string => {
  const { table, nameSql } = HOLDER_TYPES[type];
  return `select id, ${nameSql}, repository_storage, disk_path from ${table} order by id`;
};

export interface CopyResult {
  repositories: number;
  bytes: number;
  problems: string[];
}

/**
 * Copies the repositories of the snapshot: first the refs, then the object files that earlier backups lack.
 * @param folder the folder of backups
 * @param writer receives each repository in its current state, later than the snapshot: refs may have to be undone
 * @param onRepository called after each repository
 * @returns problems of repositories that could not be copied
 */
export async function copyRepositories(
  snapshot: Snapshot,
  storages: Storages,
  folder: string,
  writer: JsonLinesWriter,
  onRepository: () => void,
  signal: AbortSignal,
): Promise<CopyResult> {
  const result: CopyResult = { repositories: 0, bytes: 0, problems: [] };
  for (const type of holderTypes) {
    for await (const rows of snapshot.rows(placesOf(type))) {
      await forEachWithConcurrency(rows, LANES, signal, async ([id, name, storage, diskPath]) => {
        const location = { storage: String(storage), disk_path: String(diskPath) };
        try {
          const { line, bytes } = await copyRepository(storages, folder, `${type}:${Number(id)}`, location);
          await writer.write(line);
          result.repositories += 1;
          result.bytes += bytes;
        } catch (error) {
          result.problems.push(`The repository of ${name} (id ${id}): ${(error as Error).message}`);
        }
        onRepository();
      });
    }
  }
  return result;
}

async function copyRepository(
  storages: Storages,
  folder: string,
  holder: HolderKey,
  location: { storage: string; disk_path: string },
): Promise<{ line: RepositoryLine; bytes: number }> {
  const repo = storages.open({ storage: location.storage, diskPath: location.disk_path });
  const head = await readFile(join(repo.dir, 'HEAD'), 'utf8');
  const config = await readFile(join(repo.dir, 'config'), 'utf8');
  const refs = (await repo.refs.list('refs/')).map(({ name, oid }): [string, string] => [name, oid]);
  const corrupt = await repo.refs.corrupt();
  if (corrupt.length > 0) throw new Error(`refs without an object id, such as ${corrupt[0]}`);
  const { files: objects, bytes } = await copyObjectFiles(repo.dir, objectsIn(folder, location));
  return { line: { holder, ...location, head, config, refs, objects }, bytes };
}
