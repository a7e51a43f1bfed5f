import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Deps } from '../../deps.ts';
import { importBundle } from '../../git/remote/index.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { InvalidImportFile } from './import.lines.ts';

/**
 * Creates a repository from a bundle in the blob store.
 * @throws GitError like `importBundle`; InvalidImportFile if the bundle no longer exists
 */
export async function createFromBundle(
  deps: Deps,
  bundle: StoredBlob,
  to: string,
  { defaultBranch, signal }: { defaultBranch: string; signal: AbortSignal },
): Promise<void> {
  const content = await deps.blobs.get(bundle.sha256);
  if (content === null) throw new InvalidImportFile('The bundle of a repository no longer exists.');
  const folder = await mkdtemp(join(tmpdir(), 'stithy-bundle-'));
  try {
    const file = join(folder, 'repository.bundle');
    await pipeline(content, createWriteStream(file, { mode: 0o600 }));
    await importBundle(file, to, { defaultBranch, maxBytes: deps.config.limits.push, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
