import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../figures.ts';
import { timedGit } from '../git.ts';
import { type BenchServer, TOKEN } from '../server.ts';

/** What clients do with what they get is work of other machines. */
const CLIENT = { elsewhere: true };
const [CLONES, PUSHES, PUSHED_MB] = [20, 5, 50];

export const remoteOf = (server: BenchServer, path: string) =>
  `${server.url.replace('://', `://x:${TOKEN}@`)}/root/${path}.git`;

/** How long the server's event loop was late, in milliseconds, since it was last asked: the 99th of a hundred turns. */
async function loopDelay(server: BenchServer): Promise<number> {
  const text = await (await fetch(`${server.url}/-/metrics`)).text();
  const seconds = /^stithy_event_loop_delay_seconds\{quantile="0.99"\} (\S+)/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('the metrics do not tell the delay of the event loop');
  return Number(seconds) * 1_000;
}

/** The delay of the event loop while many clone and push. */
export async function transfers(server: BenchServer, folder: string): Promise<Figure> {
  const scratch = join(folder, 'transfers');
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  const pushes: string[] = [];
  for (let n = 0; n < PUSHES; n += 1) {
    const dir = join(scratch, `pushed-${n}`);
    await timedGit(['init', '-q', '-b', `heavy-${n}`, dir]);
    await writeFile(join(dir, 'random'), randomBytes(PUSHED_MB * 1024 * 1024));
    await timedGit(['-C', dir, 'add', '.']);
    const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org'];
    await timedGit(['-C', dir, ...who, 'commit', '-q', '-m', `Heavy ${n}`]);
    pushes.push(dir);
  }
  const remote = remoteOf(server, 'small');
  await loopDelay(server);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const idle = await loopDelay(server);
  await Promise.all([
    ...Array.from({ length: CLONES }, (_, n) =>
      timedGit(['clone', '--bare', '--quiet', remote, join(scratch, `clone-${n}`)], CLIENT),
    ),
    ...pushes.map((dir, n) => timedGit(['-C', dir, 'push', '--quiet', remote, `heavy-${n}`], CLIENT)),
  ]);
  const busy = await loopDelay(server);
  await rm(scratch, { recursive: true, force: true });
  return {
    name: `p99 of the event loop's delay while ${CLONES} clone and ${PUSHES} push ${PUSHED_MB} MB`,
    measured: `${busy.toFixed(1)} ms (idle ${idle.toFixed(1)} ms)`,
    value: busy,
    limit: 10,
    better: 'less',
  };
}
