/** Faults of the environment rather than of a request: the same request may succeed later. */
export type EnvironmentFault = 'disk_full' | 'unavailable' | 'denied' | 'no_git';

interface Failure {
  code?: unknown;
  errcode?: unknown;
  syscall?: unknown;
  path?: unknown;
  message?: unknown;
  cause?: unknown;
}

/** Disk-full codes of the operating system, PostgreSQL, and `GitError`. */
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100', 'disk_full']);
/** Disk-full codes of SQLite: full, and no room for the index of its log. */
const SQLITE_FULL = new Set<unknown>([13, 4_874]);
/** File errors: permission denied, read-only file system, I/O error. */
const DENIED = new Set<unknown>(['EACCES', 'EPERM', 'EROFS', 'EIO']);
/** The same for SQLite, in the low byte of its codes: not permitted, read-only, I/O error, cannot be opened. */
const SQLITE_DENIED = new Set([3, 8, 10, 14]);
/** SQLSTATEs: lost connections, shutdown, too few resources, read-only standby, deadlocks. */
const AWAY = /^(?:08...|57P0[1235]|53[023]00|25006|40001|40P01|55P03)$/;
/** Messages of the PostgreSQL driver without a code. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Cannot use a pool|timeout expired)/;
/** Socket errors of the driver. */
const SOCKET = /^(?:ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/**
 * @param error error of the file system, a database or git
 * @returns the fault behind it; null if there is none
 */
export function environmentFaultOf(error: unknown): EnvironmentFault | null {
  if (!(error instanceof Error)) return null;
  const { code, errcode, syscall, path, message, cause } = error as Failure;
  if (FULL.has(code) || SQLITE_FULL.has(errcode)) return 'disk_full';
  if (code === 'denied' || (DENIED.has(code) && path !== undefined)) return 'denied';
  if (typeof errcode === 'number' && SQLITE_DENIED.has(errcode & 0xff)) return 'denied';
  if (code === 'no_git') return 'no_git';
  if (typeof code === 'string' && (AWAY.test(code) || (SOCKET.test(code) && syscall !== undefined)))
    return 'unavailable';
  if (LOST.test(String(message))) return 'unavailable';
  if (error instanceof AggregateError) return environmentFaultOf(error.errors[0]);
  return cause === undefined ? null : environmentFaultOf(cause);
}
