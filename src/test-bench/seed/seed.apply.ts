import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { seedSchema } from './seed.schema.ts';
import { SeedApi } from './seed-api.ts';
import { checkSeed } from './seed-check.ts';
import { SeedClock } from './seed-clock.ts';
import { applyCollections, type Owner } from './seed-collections.apply.ts';
import { INSTANCE_COLLECTIONS, INSTANCE_FINISH } from './seed-collections.ts';
import { type BundleSource, SeedContext } from './seed-context.ts';
import { parseSeed, type SeedDocument } from './seed-document.ts';
import { expandSeed, type Item } from './seed-expand.ts';
import { applyGroups } from './seed-groups.ts';
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

/** Jobs that only wait a few seconds for more of their kind. */
const SETTLE_AHEAD_MS = 15_000;

/** Parses and checks a seed. @throws SeedError with all that is wrong, a line each */
export function readSeed(text: string, file: string): SeedDocument {
  const document = parseSeed(text, file);
  checkSeed(document, seedSchema());
  return document;
}

/**
 * Applies a seed to a server that listens or not, by its own routes. What is there already stays as it is.
 * @throws SeedError naming the line of what was refused; what stands above it is made
 */
export async function applySeed(target: SeedTarget, { text, file, bundles }: SeedSource): Promise<SeedReport> {
  const started = performance.now();
  const document = readSeed(text, file);
  const seed = expandSeed(document);
  const { deps } = target;
  const clock = new SeedClock(deps.clock);
  const resume = deps.limiter.suspend();
  const api = await SeedApi.open(deps, target.server.app);
  try {
    const context = new SeedContext({ deps, api, clock, bundles }, document, seed);
    await applyAll(context, seed.root);
    await deps.jobs.drain(SETTLE_AHEAD_MS);
    return { made: Object.fromEntries(context.made), seconds: (performance.now() - started) / 1_000 };
  } finally {
    resume();
    clock.restore();
    await api.close();
  }
}

async function applyAll(context: SeedContext, root: Item): Promise<void> {
  const instance: Owner = { path: '', fresh: false };
  await applyCollections(context, INSTANCE_COLLECTIONS, root, instance);
  await applyUsers(context, root.users);
  await applyGroups(context, root.groups);
  await applyProjects(context, root.projects);
  for (const work of context.later.splice(0)) await work();
  await applyCollections(context, INSTANCE_FINISH, root, instance);
}
