import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { withPredictableIds } from '../../core/predictable-ids.ts';
import { deferFlushes } from '../../db/deferred-flushes.ts';
import type { Deps } from '../../deps.ts';
import { leaveGraphs } from '../../git/commit-graph/index.ts';
import { KeyedQueue } from '../../git/common/index.ts';
import type { JobRegistration } from '../../jobs/jobs.run.ts';
import { isMaintenance, postponeMaintenance } from '../../repositories/repository.maintenance.ts';
import { BenchClock } from '../clock/bench-clock.ts';
import { findBench } from '../test-bench.ts';
import { seedSchema } from './seed.schema.ts';
import { SeedApi } from './seed-api.ts';
import { checkSeed } from './seed-check.ts';
import { SeedClock } from './seed-clock.ts';
import { applyCollections, type Owner } from './seed-collections.apply.ts';
import { INSTANCE_COLLECTIONS, INSTANCE_FINISH } from './seed-collections.ts';
import { type BundleSource, SeedContext } from './seed-context.ts';
import { parseSeed, type SeedDocument } from './seed-document.ts';
import { type ExpandedSeed, expandSeed, type Item } from './seed-expand.ts';
import { applyGroups } from './seed-groups.ts';
import { applyClock, applyFaults, applyLicence, applySettingsOfServer } from './seed-instance.ts';
import { applyProjects } from './seed-projects.ts';
import { applyUsers } from './seed-users.ts';

/** A server that a seed is applied to: an `Instance` is one. */
export interface SeedTarget {
  /** Its clock should be a `BenchClock`: only then everything has the dates of the seed. */
  readonly deps: Deps;
  readonly server: { readonly app: FastifyInstance };
}

/** What a seed has made; what was there already is not in it. */
export interface SeedReport {
  /** Number of objects by their kind, as the seed calls it. */
  readonly made: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export interface SeedSource {
  /** YAML or JSON. */
  readonly text: string;
  /** Name of the file in messages. */
  readonly file: string;
  /** Where git repositories beside it are. */
  readonly bundles: BundleSource;
}

/** Parses and checks a seed. @throws SeedError with all that is wrong, a line each */
export function readSeed(text: string, file: string): SeedDocument {
  const document = parseSeed(text, file);
  checkSeed(document, seedSchema());
  return document;
}

const ALIVE_MS = 60_000;
const JOBS_AT_ONCE = 100;
/** Sizes and languages are counted after this time, in milliseconds, or less. */
const COUNTED_MS = 60_000;
/** The housekeeping of repositories, which no client sees, would run beside tests, and again after each restore. */
const MAINTENANCE_MS = 1_800_000;

/** One seed at a time for each server. */
const turns = new WeakMap<Deps, KeyedQueue>();

function inTurn<T>(deps: Deps, work: () => Promise<T>): Promise<T> {
  const queue = turns.get(deps) ?? new KeyedQueue();
  turns.set(deps, queue);
  return queue.run('seed', work);
}

/**
 * Applies a seed to a server that listens or not, by its own routes. What is there already stays as it is.
 * @throws SeedError naming the line of what was refused; what stands above it is made
 */
export async function applySeed(target: SeedTarget, source: SeedSource): Promise<SeedReport> {
  const started = performance.now();
  const document = readSeed(source.text, source.file);
  const seed = expandSeed(document);
  return inTurn(target.deps, async () => {
    const made = await apply(target, source, document, seed);
    return { made, seconds: (performance.now() - started) / 1_000 };
  });
}

async function apply(
  { deps, server }: SeedTarget,
  { text, bundles }: SeedSource,
  document: SeedDocument,
  seed: ExpandedSeed,
): Promise<SeedReport['made']> {
  const { now } = (seed.root.clock ?? {}) as { now?: string };
  const clock = new SeedClock(deps.clock, now);
  // Before a server listens, its threads alone do not keep a process alive that waits for them.
  const alive = setInterval(() => {}, ALIVE_MS);
  const resume = [
    () => clearInterval(alive),
    deps.limiter.suspend(),
    deps.mailer.suspend(),
    leaveGraphs(),
    () => clock.restore(),
  ];
  let api: SeedApi | null = null;
  let context: SeedContext;
  try {
    api = await SeedApi.open(deps, server.app);
    context = new SeedContext({ deps, api, clock, bundles }, document, seed);
    const origin = await originOf(deps, text);
    await deferFlushes(async () => {
      try {
        await withPredictableIds(origin, async () => {
          await context.at([], () => applyAll(context, seed.root));
          await finishWork(deps);
        });
      } finally {
        for (const step of resume.splice(0)) step();
      }
      await finish(deps, context, seed.root);
    });
  } finally {
    for (const step of resume.splice(0)) step();
    // Its commit flushes those of the seed, too.
    await api?.close();
  }
  return Object.fromEntries(context.made);
}

/** What is done by the clock of the server, which the seed may set. */
async function finish(deps: Deps, context: SeedContext, root: Item): Promise<void> {
  const { clock } = deps;
  await applyClock(context, root, clock instanceof BenchClock ? clock : null);
  await applyFaults(context, root, findBench(deps));
  await postponeMaintenance(deps, MAINTENANCE_MS);
  await deps.jobs.recheck();
}

/** Does what the server would do later: what clients see is there when the seed has ended. */
async function finishWork({ jobs }: Deps): Promise<void> {
  await jobs.drain(0, { only: ({ kind }) => kind.lane !== 'slow', atOnce: JOBS_AT_ONCE });
  const only = ({ kind, schedule }: Pick<JobRegistration, 'kind' | 'schedule'>) =>
    kind.lane === 'slow' && schedule === null && !isMaintenance(kind);
  await jobs.drain(COUNTED_MS, { only, atOnce: JOBS_AT_ONCE });
}

/** What makes the ids of this seed differ from those of all others on the same data. */
async function originOf({ db }: Deps, text: string): Promise<string> {
  const last = await db
    .selectFrom('notes')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  return `${createHash('sha256').update(text).digest('hex')} ${last?.id ?? 0}`;
}

async function applyAll(context: SeedContext, root: Item): Promise<void> {
  const instance: Owner = { path: '', fresh: false };
  await applyLicence(context, root);
  await applyCollections(context, INSTANCE_COLLECTIONS, root, instance);
  await applyUsers(context, root.users);
  await applyGroups(context, root.groups);
  await applyProjects(context, root.projects);
  for (const work of context.later.splice(0)) await work();
  await applyCollections(context, INSTANCE_FINISH, root, instance);
  await applySettingsOfServer(context, root);
}
