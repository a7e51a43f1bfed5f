import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../durable.ts';
import { runGit } from '../process.ts';
import type { Repository } from '../repository.ts';
import { reachesInQuarantine } from './quarantine-reader.ts';
import type { RepositoryPath } from './service.ts';

/**
 * The environment with which a git command sees the objects of a push that is not accepted yet.
 * @param repository the repository that is pushed to
 * @param quarantine the folder git keeps the objects in; empty for a push without objects
 */
export function quarantineEnvironment(repository: RepositoryPath, quarantine: string): Record<string, string> {
  if (quarantine === '') return {};
  return {
    GIT_OBJECT_DIRECTORY: quarantine,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.dir, 'objects'),
    GIT_QUARANTINE_PATH: quarantine,
  };
}

/**
 * Tells a fast-forward from a forced push: whether one commit can be reached from another.
 * @param env the environment of the quarantine, so that pushed objects count
 * @returns false also when one of the two is no commit
 * @throws GitError `timeout`, `aborted`, `busy`
 */
export async function isAncestorInQuarantine(
  repo: Repository,
  ancestor: string,
  descendant: string,
  env: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<boolean> {
  const found = await reachesInQuarantine(repo, ancestor, descendant, env.GIT_QUARANTINE_PATH ?? null);
  if (found !== null) return found;
  const { code } = await runGit(['merge-base', '--is-ancestor', '--end-of-options', ancestor, descendant], {
    gitDir: repo.dir,
    env,
    okCodes: [0, 1, 128],
    ...(signal ? { signal } : {}),
  });
  return code === 0;
}

/** The folders of `objects/` that a push adds to. Read while the quarantine still exists. */
export async function quarantinedFolders(quarantine: string): Promise<string[]> {
  if (quarantine === '') return [];
  const entries = await readdir(quarantine, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/**
 * Makes the names of accepted objects durable. Git flushes what it writes, but not the folders it moves it into.
 * @param folders what {@link quarantinedFolders} gave before git moved them
 */
export async function syncObjectFolders(repository: RepositoryPath, folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const objects = join(repository.dir, 'objects');
  await Promise.all([objects, ...folders.map((name) => join(objects, name))].map(syncPath));
}
