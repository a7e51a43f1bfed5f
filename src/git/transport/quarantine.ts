import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../files/index.ts';
import type { RepositoryPath } from './service.ts';

/**
 * Environment in which a git command sees the objects of a push in quarantine.
 * @param repository target of the push
 * @param quarantine git's quarantine folder; empty for a push without objects
 */
export function quarantineEnvironment(repository: RepositoryPath, quarantine: string): Record<string, string> {
  if (quarantine === '') return {};
  return {
    GIT_OBJECT_DIRECTORY: quarantine,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.dir, 'objects'),
    GIT_QUARANTINE_PATH: quarantine,
  };
}

/** Folders of `objects/` that a push adds to. Must be read while the quarantine exists. */
export async function quarantinedFolders(quarantine: string): Promise<string[]> {
  if (quarantine === '') return [];
  const entries = await readdir(quarantine, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/**
 * Makes the names of accepted objects durable. Git flushes files, but not the folders that it moves them into.
 * @param folders result of {@link quarantinedFolders} before git moved them
 */
export async function syncObjectFolders(repository: RepositoryPath, folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const objects = join(repository.dir, 'objects');
  await Promise.all([objects, ...folders.map((name) => join(objects, name))].map(syncPath));
}
