import { readSync, writeSync } from 'node:fs';

function readAll(file: number, size: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const read = readSync(file, bytes, at, size - at, null);
    if (read === 0) return null;
    at += read;
  }
  return bytes;
}

/** Writes pieces of bytes to a pipe: how many, the size of each, and then all of them. */
export function writeFrame(file: number, pieces: readonly Buffer[]): void {
  const sizes = Buffer.alloc(4 * (pieces.length + 1));
  for (const [index, size] of [pieces.length, ...pieces.map(({ length }) => length)].entries())
    sizes.writeUInt32LE(size, 4 * index);
  const bytes = Buffer.concat([sizes, ...pieces]);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Waits for pieces of bytes from a pipe, and blocks meanwhile. @returns null where nobody writes to it any more */
export function readFrame(file: number): Buffer[] | null {
  const count = readAll(file, 4)?.readUInt32LE();
  if (count === undefined) return null;
  const sizes = readAll(file, 4 * count);
  const pieces: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const piece = sizes === null ? null : readAll(file, sizes.readUInt32LE(4 * index));
    if (piece === null) return null;
    pieces.push(piece);
  }
  return pieces;
}
