import type { BigIntStats } from 'node:fs';

/**
 * File times advance with the kernel's tick (4 ms, coarser on some file systems), so a file that changes twice within a
 * tick can keep its stamp. A stamp is trusted only if the file had this age when it was read.
 */
const YOUNG_NS = 50_000_000n;

/** Status of a file or folder that changes with its content. */
export interface FileStamp {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  /** Whether an equal stamp means that nothing has changed. */
  trusted: boolean;
}

/** Stamp of a status taken just before the file is read. */
export function stampOf(stats: BigIntStats, nowMs = Date.now()): FileStamp {
  const { ino, size, mtimeNs, ctimeNs } = stats;
  const before = BigInt(nowMs) * 1_000_000n - YOUNG_NS;
  return { ino, size, mtimeNs, ctimeNs, trusted: mtimeNs < before && ctimeNs < before };
}

/** Whether a file read under `stamp` still has the same content. */
export function isUnchanged(stamp: FileStamp, stats: BigIntStats): boolean {
  return (
    stamp.trusted &&
    stamp.mtimeNs === stats.mtimeNs &&
    stamp.ctimeNs === stats.ctimeNs &&
    stamp.ino === stats.ino &&
    stamp.size === stats.size
  );
}
