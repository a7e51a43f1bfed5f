import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The part of `node:ffi` used here; not every Node.js has the module. */
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
    // The flag is needed only while the function is made: code keeps the flags that it was compiled under.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as typeof collect;
    setFlagsFromString('--no-expose-gc');
  }
  collect!({ type: 'major', execution: 'sync' });
}

/** The C library's `malloc_trim`; null where it cannot be called. */
let trim: ((pad: bigint) => unknown) | null | undefined;

/** Makes the C library return free pages to the system, which it does not do by itself. */
export function trimHeap(): void {
  if (trim === undefined) trim = process.platform === 'linux' ? loadTrim() : null;
  trim?.(0n);
}

function loadTrim(): typeof trim {
  const warn = process.emitWarning;
  try {
    // Suppresses the warning about an experimental module: operators can do nothing about it.
    process.emitWarning = () => {};
    const ffi = process.getBuiltinModule('node:ffi') as Ffi | undefined;
    return ffi?.dlopen(null, { malloc_trim: { arguments: ['uint64'], return: 'int32' } }).functions.malloc_trim ?? null;
  } catch {
    // Another C library, or a Node.js without the module.
    return null;
  } finally {
    process.emitWarning = warn;
  }
}
