import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf, mix } from '../cold/mix.ts';
import { draw, KINDS, type Kind, type Questions } from '../cold/questions.ts';
import { largeRepository, withBranches } from '../cold/repository.ts';
import { makeRepository } from '../data.ts';
import type { Figure } from '../figures.ts';
import { load } from '../load.ts';
import { type BenchServer, residentMb, startServer, TOKEN } from '../server.ts';
import { untilIndexed } from './indexed.ts';
import { askPeer, type PeerRates } from './peer.ts';
import { createProject, pushTo, pushToGit } from './push.ts';

const PORT = 18_795;
const PROJECT = 'large';
const CONNECTIONS = 8;
const SECONDS = 6;
/** Kinds that are asked at once after a push. */
export const AT_ONCE = ['file', 'raw', 'commit'] as const satisfies readonly Kind[];
const IMPORTS = 50;

/** A server on a new data folder to which the large repository was just pushed. */
interface Pushed {
  server: BenchServer;
  dataDir: string;
  /** Of the repository. */
  dir: string;
  /** When the push was answered, by `performance.now`. */
  at: number;
}

/** Where a project's repository lies. */
async function directoryOf(server: BenchServer, dataDir: string, id: number): Promise<string> {
  const response = await fetch(`${server.url}/api/v4/projects/${id}/storage`, { headers: { 'private-token': TOKEN } });
  const { disk_path } = (await response.json()) as { disk_path: string };
  return join(dataDir, 'repositories', `${disk_path}.git`);
}

const less = (name: string, value: number, unit: string, limit: number, note = ''): Figure => ({
  name,
  measured: `${value.toFixed(1)} ${unit}${note}`,
  value,
  limit,
  better: 'less',
});

/** Asks one kind over a few connections, each question for the first time. */
async function ask(server: BenchServer, questions: Questions, kind: Kind, peer: PeerRates | null): Promise<Figure> {
  const next = () => `/api/v4/projects/1/repository/${questions.next(kind)}`;
  const { rate, p50, p90 } = await load(
    `${server.url}/`,
    { 'PRIVATE-TOKEN': TOKEN },
    { connections: CONNECTIONS, seconds: SECONDS, next },
  );
  const name = `at once after the push: ${kind}`;
  const measured = `${rate.toFixed(0)} a second, p50 ${p50.toFixed(1)}, p90 ${p90.toFixed(1)} ms`;
  // Without a peer what is left to compare with is the wait.
  if (peer === null || kind === 'commit') return { ...less(name, p90, 'ms', 100), measured };
  const value = rate / peer.file;
  return { name, measured: `${value.toFixed(1)} x its files (${measured})`, value, limit: 4, better: 'more' };
}

/**
 * What somebody meets who pushes a large repository first and asks then: at once, after a restart, and until all is indexed.
 * @param only names of parts: `push`, `at-once`, `indexed`, `beside`, `restart`, `standing`, `memory`, `imports`
 */
export async function firstMinute(
  data: string,
  only: readonly string[],
  tell: (figure: Figure) => void,
): Promise<Figure[]> {
  const source = await withBranches(await largeRepository(join(data, 'large.git')), join(data, 'pushed.git'));
  const questions = await draw(source, 21);
  const figures: Figure[] = [];
  const add = (...more: Figure[]) => {
    figures.push(...more);
    more.forEach(tell);
  };
  const dataDir = join(data, 'first-minute');
  const part = async (name: string, run: (pushed: Pushed) => Promise<void>): Promise<void> => {
    if (only.length > 0 && !only.includes(name)) return;
    await rm(dataDir, { recursive: true, force: true });
    const server = await startServer(dataDir, PORT);
    const dir = await directoryOf(server, dataDir, await createProject(server, PROJECT));
    const pushed: Pushed = { server, dataDir, dir, at: 0 };
    try {
      if (name !== 'push') await pushTo(server, source, PROJECT);
      pushed.at = performance.now();
      await run(pushed);
    } finally {
      await pushed.server.stop();
    }
  };
  const restart = async (pushed: Pushed): Promise<BenchServer> => {
    await pushed.server.stop();
    pushed.server = await startServer(dataDir, PORT);
    return pushed.server;
  };

  await part('push', async ({ server }) => {
    // The machine's speed drifts: git pushes before and after.
    const [before, ours, after] = [
      await pushToGit(source, join(data, 'beside.git')),
      await pushTo(server, source, PROJECT),
      await pushToGit(source, join(data, 'beside.git')),
    ];
    const git = (before + after) / 2;
    const note = ` (${(ours / 1_000).toFixed(1)} s, git ${(git / 1_000).toFixed(1)} s)`;
    add(less('push of everything, against git with the same checks', ours / git, 'x', 1.05, note));
  });
  await part('at-once', async ({ server }) => {
    const peer = await askPeer(source, join(data, 'peer'), questions);
    for (const kind of AT_ONCE) add(await ask(server, questions, kind, peer));
  });
  await part('indexed', async ({ dir, at }) => {
    const { graph, paths, lines } = await untilIndexed(dir, at);
    add(
      less(
        'from the push to the last index, nothing asked',
        lines,
        's',
        20,
        ` (graph ${graph.toFixed(1)}, paths ${paths.toFixed(1)} s)`,
      ),
    );
  });
  await part('beside', async ({ server, dir, at }) => {
    const [mixed, after] = await Promise.all([mix(server, questions, 50, 60), untilIndexed(dir, at)]);
    add(...figuresOf('mix at 50 a second from the push on', mixed, { p90: 200, memory: 320 }));
    add(less('from the push to the last index, with this mix', after.lines, 's', 60));
  });
  await part('restart', async (pushed) => {
    await sleep(Math.max(0, 20_000 - (performance.now() - pushed.at)));
    const mixed = await mix(await restart(pushed), questions, 200, 20);
    add(
      ...figuresOf('mix at 200 a second, 20 s after the push and a restart', mixed, { p90: 20, p99: 100, memory: 320 }),
    );
  });
  await part('standing', async (pushed) => {
    await untilIndexed(pushed.dir, pushed.at);
    const mixed = await mix(await restart(pushed), questions, 200, 30);
    add(...figuresOf('mix at 200 a second, all indexed, from a restart on', mixed, { p90: 20, p99: 100, memory: 320 }));
  });
  await part('memory', async (pushed) => {
    await untilIndexed(pushed.dir, pushed.at);
    const server = await restart(pushed);
    let highest = 0;
    const watch = setInterval(async () => {
      highest = Math.max(highest, await residentMb(server.child.pid!).catch(() => 0));
    }, 200);
    for (const kind of KINDS) await ask(server, questions, kind, null);
    await mix(server, await draw(source, 22), 50, 600);
    clearInterval(watch);
    add(less('all kinds in turn and a mix of ten minutes: memory', highest, 'MB', 320));
    await sleep(60_000);
    add(less('the same a minute later', await residentMb(server.child.pid!), 'MB', 200));
  });
  await part('imports', async ({ server }) => {
    const small = join(data, 'repository.git');
    await makeRepository(small);
    const waits: number[] = [];
    for (let n = 0; n < IMPORTS; n += 1) {
      const id = await createProject(server, `small-${n}`);
      await pushTo(server, small, `small-${n}`);
      const since = performance.now();
      waits.push((await untilIndexed(await directoryOf(server, dataDir, id), since)).paths);
    }
    add(
      less(
        `${IMPORTS} imports beside the large one: the slowest until its paths are indexed`,
        Math.max(...waits),
        's',
        10,
      ),
    );
  });
  return figures;
}
