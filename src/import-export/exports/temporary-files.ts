import type { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { storedFile } from '../relations/bundles.relation.ts';
import type { ArchivedFile } from '../relations/relation.ts';

/** A file of an archive whose content is at hand. */
export const textFile = (name: string, text: string): ArchivedFile => {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, open: async () => bytes };
};

/** Files of an archive that are written aside first, for an archive says before a file how long it is. */
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

  /** Gives away what was written aside. */
  async dispose(): Promise<void> {
    await enqueueBlobRemoval(this.#deps, this.#deps.db, [...new Set(this.#written)]);
  }
}
