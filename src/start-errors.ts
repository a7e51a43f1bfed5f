import type { Config } from './config/config.ts';
import { StartupError } from './core/startup-error.ts';

/** What codes of the operating system mean for a file or folder. */
const FILES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it is a file and no folder',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it cannot be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it, or a folder above it, is a file',
  EPERM: 'this user may not use it',
  EROFS: 'the file system is read-only',
};

/** The same for the address to listen on. */
const LISTENING: Readonly<Record<string, string>> = {
  EACCES: 'this user may not listen on it; ports below 1024 are for root',
  EADDRINUSE: 'it is taken. Choose another port: STITHY_PORT=8081 (0 picks a free one)',
  EADDRNOTAVAIL: 'this machine has no such address',
  EAI_AGAIN: 'the name cannot be looked up now',
  EINVAL: 'it is no address to listen on',
  ENOTFOUND: 'no such host is known',
};

/** Codes of node's network and classes of PostgreSQL's errors (SQLSTATE) that come before the first query. */
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
 * What kept a server from starting, in one line that names the setting to change; what is unexpected comes back as it is.
 * @param error whatever was thrown before the server listened
 */
export function startError(error: unknown, config: Config): unknown {
  if (!(error instanceof Error) || error instanceof StartupError) return error;
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
