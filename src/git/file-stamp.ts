import type { BigIntStats } from 'node:fs';

/**
 * File times advance by the kernel's tick (4 ms, and coarser on some file systems): a file changed again within a
 * tick of being read can keep its stamp. So a stamp is only trusted when the file was already this old when read.
 */
const YOUNG_NS = 50_000_000n;

/** What of a file's or folder's status changes whenever its content does. */
export interface FileStamp {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  /** Whether an equal stamp later means that nothing changed. */
  trusted: boolean;
}

/** The stamp of a status taken just before the file is read. */
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
