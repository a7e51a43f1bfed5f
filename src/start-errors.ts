import type { Config } from './config/config.ts';
import { StartupError } from './core/startup-error.ts';
import { SeedError } from './test-bench/seed/seed.error.ts';

/** Meaning of system error codes for files and folders. */
const FILES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied for this user',
  EDQUOT: 'the disk quota is exhausted',
  EEXIST: 'it is a file, not a folder',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it cannot be created',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it, or a folder above it, is a file',
  EPERM: 'permission denied for this user',
  EROFS: 'the file system is read-only',
};

/** Meaning of system error codes for the listening address. */
const LISTENING: Readonly<Record<string, string>> = {
  EACCES: 'permission denied for this user; ports below 1024 require root',
  EADDRINUSE: 'it is already in use. Choose another port: STITHY_PORT=8081 (0 picks a free one)',
  EADDRNOTAVAIL: 'it is not an address of this machine',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EINVAL: 'it is not a valid address to listen on',
  ENOTFOUND: 'the host name is unknown',
};

/** Network error codes of node, and SQLSTATE classes of PostgreSQL that occur before the first query. */
const UNREACHABLE =
  /^(?:E(?:CONN\w+|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|TIMEDOUT|PIPE)|ERR_INVALID_URL|08...|28...|3D000|53...|57P..|42501)$/;

interface Failure {
  code?: unknown;
  message: string;
  syscall?: unknown;
  path?: unknown;
  errors?: readonly Failure[];
}

/**
 * Converts the error of a failed start into one line that names the setting to change, or the lines about a seed;
 * unexpected errors are returned unchanged.
 * @param error the error thrown before the server listened
 */
export function startError(error: unknown, config: Config): unknown {
  if (!(error instanceof Error) || error instanceof StartupError) return error;
  if (error instanceof SeedError) return new StartupError(error.message, { cause: error });
  const failure = error as Failure;
  const { syscall, path } = failure;
  const code = String(failure.code ?? failure.errors?.[0]?.code ?? '');
  const because = (text: string) => new StartupError(text.replace(/\s*\n\s*/g, ' '), { cause: error });
  if (code === 'ERR_SQLITE_ERROR') {
    const file = config.database.kind === 'sqlite' ? config.database.path : config.dataDir;
    return because(`The database ${file} cannot be used: ${error.message}.`);
  }
  const listening =
    syscall === 'listen' || syscall === 'bind' || (syscall === 'getaddrinfo' && failedHost(error, config));
  if (listening && code in LISTENING) {
    return because(`Cannot listen on ${config.host} port ${config.port}: ${LISTENING[code]}.`);
  }
  if (typeof path === 'string' && code in FILES) return because(`${path} cannot be used: ${FILES[code]} (${code}).`);
  if (
    config.database.kind === 'postgres' &&
    (UNREACHABLE.test(code) || /timeout|terminated|SASL|password/i.test(error.message))
  ) {
    const reason = error.message === '' ? code : error.message;
    return because(`The database of STITHY_DATABASE_URL cannot be reached: ${reason}.`);
  }
  return error;
}

const failedHost = (error: Error, config: Config): boolean => 'hostname' in error && error.hostname === config.host;
