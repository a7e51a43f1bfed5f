import { join } from 'node:path';
import { isRepository } from './damage.ts';
import { isMissing } from './durable.ts';
import { GitError } from './errors.ts';
import { ObjectStore } from './packs/object-store.ts';
import type { Shared } from './packs/raw-object.ts';
import { objectFormatOf } from './repository-files.ts';

/**
 * The objects of a repository, of which nothing is read yet.
 * @throws GitError `corrupt` where there is no repository
 */
export async function openStore(dir: string, shared: Shared): Promise<ObjectStore> {
  if (!isRepository(dir)) throw new GitError('corrupt', `${dir} is not a git repository`);
  const format = await objectFormatOf(dir).catch((error: unknown) => {
    if (isMissing(error)) return 'sha1';
    throw error;
  });
  return new ObjectStore(join(dir, 'objects'), shared, format === 'sha1' ? 20 : 32);
}
