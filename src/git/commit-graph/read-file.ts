import { closeSync, fstatSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);

/** Reads `length` bytes of a file, or fewer at its end. */
export type BytesAt = (at: number, length: number) => Promise<Buffer<ArrayBuffer>>;

/**
 * Opens a file for reading. It is opened synchronously, and each read takes one turn of a thread, whatever its size:
 * all history requests wait for a graph, and `readFile` takes a turn for each half megabyte.
 * @param use reads sequentially, since the file is closed when it ends; receives the size of the file in bytes
 * @throws file system errors
 */
export async function reading<T>(path: string, use: (bytesAt: BytesAt, size: number) => Promise<T>): Promise<T> {
  const fd = openSync(path, 'r');
  try {
    const bytesAt: BytesAt = async (at, length) => {
      const bytes = Buffer.allocUnsafeSlow(length);
      // Node refuses reads of zero bytes.
      const { bytesRead } = length === 0 ? { bytesRead: 0 } : await readAsync(fd, bytes, 0, length, at);
      return bytes.subarray(0, bytesRead);
    };
    return await use(bytesAt, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}
