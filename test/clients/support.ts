/** What the client programs of this folder share: the API, commands, and the count of what passed. Address and token come from the environment. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const url = process.env.STITHY_URL ?? '';
export const token = process.env.STITHY_TOKEN ?? '';
/** A folder of this run, the home of its commands. It is removed at the end. */
export const folder = mkdtempSync(join(tmpdir(), 'stithy-client-'));

/** @returns the JSON answer. @throws AssertionError on a status that is no success */
export async function api<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return (await response.json()) as T;
}

interface Ran {
  ok: boolean;
  /** Both streams of the command. */
  text: string;
}

/** Runs a command in `cwd` with nothing of this machine's settings. @param env what it sees beyond that */
export function run(cwd: string, command: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const clean = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return new Promise((resolve) => {
    const options = { cwd, env: { ...clean, ...env }, timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ ok: error === null, text: `${stdout}${stderr}` });
    });
    // Whoever asks gets no answer.
    child.stdin?.end();
  });
}

/** As {@link run}. @returns what it wrote. @throws AssertionError when it fails */
export async function must(
  cwd: string,
  command: string,
  args: string[],
  env?: Record<string, string>,
): Promise<string> {
  const { ok, text } = await run(cwd, command, args, env);
  assert.ok(ok, `${command} ${args.join(' ')}: ${text}`);
  return text;
}

/** The address of a repository for git, with a token in it. */
export const address = (path: string, secret = token) => `${url.replace('://', `://git:${secret}@`)}/${path}.git`;

/** Runs all tests, writes failures and the line that `run.ts` reads. */
export async function runTests(client: string, tests: Record<string, () => Promise<unknown>>): Promise<void> {
  let passed = 0;
  let failed = 0;
  for (const [name, work] of Object.entries(tests)) {
    try {
      await work();
      passed += 1;
      process.stdout.write(`${client} ${name}: passed\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`${client} ${name}: failed\n${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`RESULT ${passed} ${failed}\n`);
}
