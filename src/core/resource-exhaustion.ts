import { readFileSync } from 'node:fs';

/** Of the system, and of Node where it cannot start a thread. */
const CODES = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ERR_WORKER_INIT_FAILED']);

/** Whether an error of the system says that file descriptors, processes or memory have run out: it passes. */
export const isResourceExhaustion = (error: unknown): boolean =>
  CODES.has((error as NodeJS.ErrnoException | null)?.code ?? '');

/** File descriptors that database, git's children and temporary files may need beside connections. */
const RESERVED = 400;
const MAX_CONNECTIONS = 10_000;
const USUAL_DESCRIPTORS = 1_024;

/** How many file descriptors this process may have open. */
function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    if (found !== null) return Number(found[1]);
  } catch {
    // Only Linux tells.
  }
  return USUAL_DESCRIPTORS;
}

/** Connections that leave enough file descriptors for the work that they ask for. */
export function defaultConnections(): number {
  const limit = descriptorLimit();
  return Math.min(MAX_CONNECTIONS, Math.max(Math.floor(limit / 4), Math.floor((limit - RESERVED) * 0.75)));
}
