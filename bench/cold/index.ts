import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProject } from '../../src/api/spaces/projects/projects.create.ts';
import { loadConfig } from '../../src/config/config.ts';
import { silentLogger } from '../../src/core/logger.ts';
import { open } from '../../src/start.ts';
import { makeRepository } from '../data.ts';
import type { Figure } from '../figures.ts';
import { median, timedGit } from '../git.ts';
import { type BenchServer, startBare, startServer, TOKEN } from '../server.ts';
import { kinds } from './kinds.ts';
import { figuresOf, mix } from './mix.ts';
import { draw } from './questions.ts';
import { largeRepository, place } from './repository.ts';
import { remoteOf, transfers } from './transfers.ts';
import { besideEachOther, commitOne, countedGit, oneAfterTheOther, untilQuiet } from './writes.ts';

const PORT = 18_790;
const RATE = 200;
/** Time for which an ext4 without a journal does not reuse the inodes of removed files. */
const REMOVED_MS = 100_000;
const SECONDS = 60;

/** Seeds a data folder with the large repository in project 1 and the usual one in `small`. */
async function fill(dataDir: string, data: string): Promise<string> {
  await rm(dataDir, { recursive: true, force: true });
  const large = await largeRepository(join(data, 'large.git'));
  const small = join(data, 'repository.git');
  await makeRepository(small);
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: TOKEN });
  const { deps, close } = await open(config, silentLogger);
  try {
    const owner = deps.db.selectFrom('namespaces').selectAll().where('owner_id', '=', 1);
    const namespace = await owner.executeTakeFirstOrThrow();
    const made = { namespace, visibility: 'private', creatorId: 1, defaultBranch: 'main' } as const;
    const project = await createProject(deps, {
      ...made,
      name: 'large',
      path: 'large',
      fillRepository: (dir) => place(large, dir),
    });
    await createProject(deps, {
      ...made,
      name: 'small',
      path: 'small',
      fillRepository: (dir) => place(small, dir),
    });
    return deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
  } finally {
    await close();
  }
}

/** A promise whose rejection is thrown only where it is awaited. */
function unnoticed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Commits ten times a second until it is ended. */
function writing(server: BenchServer): { end: () => Promise<number> } {
  let going = true;
  const run = (async () => {
    let n = 0;
    const open: Promise<unknown>[] = [];
    for (; going; n += 1) {
      open.push(unnoticed(commitOne(server, 1, 'main', `beside-reads-${n}`)));
      await sleep(100);
    }
    await Promise.all(open);
    return n;
  })();
  unnoticed(run);
  return {
    end: () => {
      going = false;
      return run;
    },
  };
}

/** Runs two concurrent clones repeatedly until it is ended. */
function cloning(server: BenchServer, folder: string): { end: () => Promise<void> } {
  let going = true;
  const run = Promise.all(
    [0, 1].map(async (n) => {
      const target = join(folder, `beside-${n}`);
      while (going) {
        await rm(target, { recursive: true, force: true });
        await timedGit(['clone', '--bare', '--quiet', remoteOf(server, 'small'), target], { elsewhere: true });
      }
      await rm(target, { recursive: true, force: true });
    }),
  );
  unnoticed(run);
  return {
    end: async () => {
      going = false;
      await run;
    },
  };
}

/**
 * What is asked for the first time, after a restart, on a large repository: `BENCH_REPOSITORY`, or one that is made.
 * @param only names of parts (`kinds`, `mix`, `mix-and-writes`, `writes`, `transfers`) and kinds of questions
 */
export async function cold(data: string, only: readonly string[], tell: (figure: Figure) => void): Promise<Figure[]> {
  const dataDir = join(data, 'cold');
  const wants = (part: string) => only.length === 0 || only.includes(part);
  const parts = ['kinds', 'mix', 'mix-and-writes', 'writes', 'transfers'];
  const some = only.filter((name) => !parts.includes(name));
  const dir = await fill(dataDir, data);
  const figures: Figure[] = [];
  const add = (...more: Figure[]) => {
    figures.push(...more);
    more.forEach(tell);
  };
  /** Every question goes to a freshly started server. */
  const fresh = async (run: (server: BenchServer) => Promise<void>, path?: string) => {
    const server = await startServer(dataDir, PORT, [], path === undefined ? {} : { PATH: path });
    try {
      await run(server);
    } finally {
      await server.stop();
    }
  };
  if (wants('kinds') || some.length > 0) {
    const questions = await draw(dir, 11);
    const bare = await startBare();
    await fresh(async (server) => add(...(await kinds(server, bare, dir, questions, some))));
    bare.stop();
  }
  if (wants('mix')) {
    const questions = await draw(dir, 12);
    await fresh(async (server) => {
      const mixed = await mix(server, questions, RATE, SECONDS);
      for (const [kind, times] of mixed.byKind) process.stderr.write(`  ${kind}: p50 ${median(times).toFixed(1)} ms\n`);
      add(...figuresOf(`mix at ${RATE} a second`, mixed, { p90: 20, p99: 60 }));
    });
  }
  if (wants('mix-and-writes')) {
    const questions = await draw(dir, 13);
    await fresh(async (server) => {
      const commits = writing(server);
      const clones = cloning(server, data);
      const mixed = await mix(server, questions, RATE, SECONDS);
      await commits.end();
      await clones.end();
      add(...figuresOf(`mix at ${RATE} a second, 10 commits a second, 2 clones`, mixed, { p90: 40 }));
    });
  }
  if (wants('writes')) {
    const counted = await countedGit(data);
    await fresh(() => untilQuiet(counted.count), counted.path);
    // Removed files (earlier data, clones, packed objects) must not slow down commits.
    await sleep(REMOVED_MS);
    await fresh(async (server) => add(...(await oneAfterTheOther(server, data, counted.count))), counted.path);
    await fresh(async (server) => add(await besideEachOther(server)));
  }
  if (wants('transfers')) await fresh(async (server) => add(await transfers(server, data)));
  return figures;
}
