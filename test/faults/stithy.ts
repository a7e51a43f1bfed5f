import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../bin/stithy.js');
const TIMEOUT_MS = 300_000;

/**
 * Runs a command of the program to its end.
 * @param by what it is run by, such as a command that changes the user
 */
export function stithy(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  by: readonly string[] = [],
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const cache = process.env.NODE_COMPILE_CACHE ?? '';
  const env = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: cache, STITHY_PORT: '0', ...settings };
  const [command = '', ...rest] = [...by, process.execPath, PROGRAM, ...args];
  return new Promise((done) => {
    execFile(command, rest, { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
  });
}
