/** What is wrong around the program rather than with a request: it goes by, and the same request may then succeed. */
export type EnvironmentFault = 'disk_full' | 'unavailable' | 'denied' | 'no_git';

interface Failure {
  code?: unknown;
  errcode?: unknown;
  syscall?: unknown;
  path?: unknown;
  message?: unknown;
  cause?: unknown;
}

/** Of the operating system, of PostgreSQL, and of `GitError`. */
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100', 'disk_full']);
/** Of SQLite: full, and no room for the index of its log. */
const SQLITE_FULL = new Set<unknown>([13, 4_874]);
/** Of a file or folder: this user may not use it, the file system is read-only, the disk reports an error. */
const DENIED = new Set<unknown>(['EACCES', 'EPERM', 'EROFS', 'EIO']);
/** The same of SQLite, in the low byte of its codes: not permitted, read-only, an error of the disk, cannot be opened. */
const SQLITE_DENIED = new Set([3, 8, 10, 14]);
/** SQLSTATE: lost connections, shutdown, too few resources, a standby that takes no writes, deadlocks. */
const AWAY = /^(?:08...|57P0[1235]|53[023]00|25006|40001|40P01|55P03)$/;
/** What the driver of PostgreSQL says without a code. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Cannot use a pool|timeout expired)/;
/** What a socket of the driver says. */
const SOCKET = /^(?:ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/**
 * @param error whatever was thrown by the file system, a database or git
 * @returns the fault behind it; null where it is none
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
