import { close, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { GitError } from '../../common/index.ts';
import { isMissing } from '../../files/index.ts';

const readAsync = promisify(read) as unknown as (
  fd: number,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }>;

/** A file descriptor that is closed once no thread reads from it. */
export class Handle {
  readonly fd: number;
  #reading = 0;
  #closed = false;

  constructor(fd: number) {
    this.fd = fd;
  }

  readSync(buffer: Buffer, length: number, offset: number, path: string): number {
    try {
      return readSync(this.fd, buffer, 0, length, offset);
    } catch (error) {
      return refuse(error, path);
    }
  }

  async read(buffer: Buffer, offset: number, path: string): Promise<number> {
    this.#reading += 1;
    try {
      return (await readAsync(this.fd, buffer, 0, buffer.length, offset)).bytesRead;
    } catch (error) {
      return refuse(error, path);
    } finally {
      this.#reading -= 1;
      if (this.#closed) this.#closeUnused();
    }
  }

  close(): void {
    this.#closed = true;
    this.#closeUnused();
  }

  #closeUnused(): void {
    if (this.#reading === 0) close(this.fd, () => {});
  }
}

/** Throws an error of the file system: unchanged for a missing file, else as GitError `denied`, `busy`, `failed`. */
export function refuse(error: unknown, path: string): never {
  if (isMissing(error)) throw error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const kind = DENIED.has(code) ? 'denied' : code === 'EMFILE' || code === 'ENFILE' ? 'busy' : 'failed';
  throw new GitError(kind, `${path}: ${(error as Error).message}`);
}

const DENIED = new Set(['EACCES', 'EPERM', 'EIO']);
