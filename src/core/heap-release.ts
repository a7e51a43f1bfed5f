import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is used of `node:ffi`, which is not in every Node.js. */
interface Ffi {
  dlopen(
    path: null,
    symbols: Record<string, { arguments: readonly string[]; return: string }>,
  ): { functions: Record<string, (pad: bigint) => unknown> };
}

let collect: ((options: { type: 'major'; execution: 'sync' }) => void) | undefined;

/** Collects the garbage of this thread, which takes some 40 ms. */
export function collectGarbage(): void {
  if (collect === undefined) {
    // A flag only while the function is made: code is kept by the flags that it was compiled under.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as typeof collect;
    setFlagsFromString('--no-expose-gc');
  }
  collect!({ type: 'major', execution: 'sync' });
}

/** The C library's `malloc_trim`; null where it cannot be called. */
let trim: ((pad: bigint) => unknown) | null | undefined;

/** Has the C library give back the free pages that lie between others, which it does not by itself. */
export function trimHeap(): void {
  if (trim === undefined) trim = process.platform === 'linux' ? foundTrim() : null;
  trim?.(0n);
}

function foundTrim(): typeof trim {
  const warn = process.emitWarning;
  try {
    // Operators can do nothing about its being experimental.
    process.emitWarning = () => {};
    const ffi = process.getBuiltinModule('node:ffi') as Ffi | undefined;
    return ffi?.dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } }).functions.malloc_trim ?? null;
  } catch {
    // Another C library, or a Node.js without it.
    return null;
  } finally {
    process.emitWarning = warn;
  }
}
