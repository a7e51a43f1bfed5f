import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeBytes, type ObjectFormat } from '../common/index.ts';
import { syncPath } from '../files/index.ts';
import { objectFormatOf } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { FETCH } from './git.import.ts';
import { mustRunRemote } from './git.remote.ts';
import { RemoteError } from './remote-error.ts';
import type { RemoteSource } from './remote-source.ts';

export interface FetchRequest {
  /** Full names of the requested branches and tags. */
  refs: readonly string[];
  /** Object format of the other side. */
  format: ObjectFormat;
  /** Maximum size of the received pack in bytes. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** Git compares every requested name with every existing one. With more names, all refs are requested. */
const MAX_NAMED = 2_000;
/** A clean-up removes leftovers with this prefix together with git's own. */
const QUARANTINE = 'tmp_objdir-mirror-';

/**
 * Fetches the objects of refs from another server without changing any ref. Git checks them in a quarantine folder, and
 * they are moved into the repository when complete. Durable when it fulfils.
 * @throws RemoteError; GitError `timeout`, `aborted`, `busy`
 */
export async function fetchObjects(source: RemoteSource, repo: Repository, request: FetchRequest): Promise<void> {
  const { refs, format, maxBytes, signal } = request;
  if ((await objectFormatOf(repo.dir)) !== format) throw new RemoteError('format');
  const objects = join(repo.dir, 'objects');
  const quarantine = await mkdtemp(join(objects, QUARANTINE));
  try {
    const named = refs.length > MAX_NAMED ? ['refs/heads/*', 'refs/tags/*'] : refs;
    const refspecs = named.map((ref) => `+${ref}:refs/stithy/fetched/${ref.slice('refs/'.length)}\n`);
    await mustRunRemote(source, (url) => [...FETCH, '--dry-run', '--stdin', '--end-of-options', url], {
      gitDir: repo.dir,
      env: { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
      signal,
      fileBytes: maxBytes,
      input: encodeBytes(refspecs.join('')),
    });
    await takeIn(join(quarantine, 'pack'), join(objects, 'pack'));
  } finally {
    await rm(quarantine, { recursive: true, force: true });
  }
}

/** Moves packs; git uses a pack once it sees its index. */
async function takeIn(from: string, to: string): Promise<void> {
  const names = (await readdir(from).catch(() => [])).filter((name) => /^pack-[0-9a-f]+\.(?:pack|rev|idx)$/.test(name));
  names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  for (const name of names) await rename(join(from, name), join(to, name));
  if (names.length > 0) await syncPath(to);
}
