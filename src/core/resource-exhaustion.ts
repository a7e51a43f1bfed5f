import { readFileSync } from 'node:fs';

/** Error codes of the system, and of Node if it cannot start a thread. */
const CODES = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ERR_WORKER_INIT_FAILED']);

/** Whether an error means that file descriptors, processes or memory are temporarily exhausted. */
export const isResourceExhaustion = (error: unknown): boolean =>
  CODES.has((error as NodeJS.ErrnoException | null)?.code ?? '');

/** File descriptors reserved for the database, git processes and temporary files. */
const RESERVED = 400;
const MAX_CONNECTIONS = 10_000;
const USUAL_DESCRIPTORS = 1_024;

/** Maximum number of file descriptors of this process. */
function descriptorLimit(): number {
  try {
    const match = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    if (match !== null) return Number(match[1]);
  } catch {
    // Only available on Linux.
  }
  return USUAL_DESCRIPTORS;
}

/** Default limit of connections, which leaves enough file descriptors for their work. */
export function defaultConnections(): number {
  const limit = descriptorLimit();
  return Math.min(MAX_CONNECTIONS, Math.max(Math.floor(limit / 4), Math.floor((limit - RESERVED) * 0.75)));
}
