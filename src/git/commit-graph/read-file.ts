import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);

/** Reads bytes of a file: `length`, or less where it ends. */
export type BytesAt = (at: number, length: number) => Promise<Buffer<ArrayBuffer>>;

/**
 * Hands out a file to be read. It is opened at once, and each read is one turn of a thread, however long: a graph is waited for by all
 * who ask anything of its history, and `readFile` takes a turn for each half of a megabyte.
 * @param use reads one piece after the other, for the file is closed when it ends; it is given the size of the file, in bytes
 * @throws the file system's error
 */
export async function reading<T>(path: string, use: (bytesAt: BytesAt, size: number) => Promise<T>): Promise<T> {
  const fd = openSync(path, 'r');
  try {
    const bytesAt: BytesAt = async (at, length) => {
      const bytes = Buffer.allocUnsafeSlow(length);
      // Node refuses to read nothing.
      const { bytesRead } = length === 0 ? { bytesRead: 0 } : await readAsync(fd, bytes, 0, length, at);
      return bytes.subarray(0, bytesRead);
    };
    return await use(bytesAt, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}
