import type { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { storedFile } from '../relations/bundles.relation.ts';
import type { ArchivedFile } from '../relations/relation.ts';

/** An archive file with a given text. */
export const textFile = (name: string, text: string): ArchivedFile => {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, open: async () => bytes };
};

/** Files that are written to temporary blobs first, because tar headers contain the size. */
export class TemporaryFiles {
  readonly #deps: Deps;
  readonly #written: string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async write(name: string, content: Readable): Promise<ArchivedFile> {
    const { sha256, size } = await this.#deps.blobs.put(content, { maxBytes: Number.MAX_SAFE_INTEGER });
    this.#written.push(sha256);
    return storedFile(this.#deps, name, sha256, size);
  }

  /** Deletes the temporary blobs. */
  async dispose(): Promise<void> {
    await enqueueBlobRemoval(this.#deps, this.#deps.db, [...new Set(this.#written)]);
  }
}
