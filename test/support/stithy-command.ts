import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { run } from '../../src/cli/cli.run.ts';

const PROGRAM = resolve(import.meta.dirname, '../../bin/stithy.js');

/** What a command printed, and its exit code. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

const results = new AsyncLocalStorage<CommandResult>();

/** Has what commands of this process print go to their results, and nothing else. */
function captureOutputs(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write = stream.write;
    stream.write = function (this: typeof stream, ...args: unknown[]) {
      const result = results.getStore();
      if (result === undefined) return Reflect.apply(write, stream, args) as boolean;
      result[name] += String(args[0]);
      return true;
    };
  }
}

let captures = false;

/**
 * Runs a `stithy` command in this process: a process of its own costs more than most commands. Not for `serve`, which lasts,
 * nor for commands that read standard input.
 * @param settings the whole environment of the command
 */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  if (!captures) captureOutputs();
  captures = true;
  const result = { code: 0, stdout: '', stderr: '' };
  const code = await results.run(result, () => run(args, settings));
  return { ...result, code };
}

/**
 * Runs a `stithy` command as an operator does, in a process of its own.
 * @param settings its environment, beside PATH and where compiled code is kept
 */
export function runProgram(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input?: string,
): Promise<CommandResult> {
  const env = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '', ...settings };
  return new Promise((done) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}
