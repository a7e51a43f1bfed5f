/** What the small process of `fork-server.ts` runs: one command after the other, until nobody can send more. */
import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import type { Command, Outcome } from './fork-server.ts';
import { readFrame, writeFrame } from './frames.ts';

/** No output of a test is larger. */
const MAX_BYTES = 1 << 30;

const [, , requests = '', answers = ''] = process.argv;
const input = openSync(requests, 'r');
const output = openSync(answers, 'w');
for (let frame = readFrame(input); frame !== null; frame = readFrame(input)) {
  const [command, stdin = Buffer.alloc(0)] = frame;
  const { file, args, cwd, env } = JSON.parse(command!.toString()) as Command;
  const { status, signal, error, stdout, stderr } = spawnSync(file, args, {
    ...{ cwd, env, input: stdin, maxBuffer: MAX_BYTES },
  });
  const outcome: Outcome = { status, signal, error: error?.message ?? null };
  const none = Buffer.alloc(0);
  writeFrame(output, [Buffer.from(JSON.stringify(outcome)), stdout ?? none, stderr ?? none]);
}
