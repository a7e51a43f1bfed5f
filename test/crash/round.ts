import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn, waitForNone } from './processes.ts';
import type { Random } from './random.ts';
import { compareEvents } from './verify/events.ts';
import { readRefs } from './verify/git.ts';
import { compareJobs } from './verify/jobs.ts';
import { compareProjects } from './verify/projects.ts';
import { compareContents, compareRefs, settleOpen } from './verify/references.ts';
import { compareSnippets } from './verify/snippets.ts';
import { findDamage, findLeftovers, findOrphans } from './verify/storage.ts';
import { compareWiki } from './verify/wikis.ts';
import type { World } from './world.ts';
import type { JobWriter } from './writers/job-writer.ts';
import type { ProjectWriter } from './writers/project-writer.ts';
import type { SnippetWriter } from './writers/snippet-writer.ts';
import type { WikiWriter } from './writers/wiki-writer.ts';
import type { Writer } from './writers/writer.ts';

export interface Crew {
  writers: readonly Writer[];
  projects: ProjectWriter;
  snippets: SnippetWriter;
  jobs: JobWriter;
  wikis: readonly WikiWriter[];
}

const MIN_MS = 50;
const MAX_MS = 2_000;
const KILLED_AT_START = 0.25;
const LONGEST_START_MS = 700;

/**
 * Lets everybody write, kills the server and starts it again; now and then it is killed once more while it starts.
 * @param withGit also its git processes are killed
 * @returns processes of the killed server that have not ended by themselves
 */
export async function crash(world: World, crew: Crew, random: Random, withGit: boolean): Promise<string[]> {
  const writing = Promise.all(crew.writers.map((writer) => writeOn(world, writer)));
  await Promise.race([sleep(MIN_MS + random.below(MAX_MS - MIN_MS)), writing]);
  await world.kill(withGit);
  const left = processesIn(world.dataDir);
  await writing;
  if (random.next() < KILLED_AT_START) await world.startAndKill(random.below(LONGEST_START_MS), withGit);
  await world.start();
  const still = new Set((await waitForNone(world.dataDir, left)).map(({ pid }) => pid));
  return left
    .filter(({ pid }) => still.has(pid))
    .map(({ pid, command }) => `process ${pid} of the killed server still runs: ${command}`);
}

async function writeOn(world: World, writer: Writer): Promise<void> {
  while (!world.killed) await writer.step();
}

/**
 * Looks at everything that the restarted server has, and lets everybody write once more.
 * @returns what is wrong; nothing when all is well
 */
export async function verify(world: World, crew: Crew): Promise<string[]> {
  const problems: string[] = [];
  const intents = await world.records.query('select * from ref_intents');
  problems.push(...intents.map((intent) => `an intent is left: ${JSON.stringify(intent)}`));
  const before = await Promise.all(world.sites.map(({ dir }) => readRefs(dir)));
  for (const [index, site] of world.sites.entries()) {
    problems.push(...(await settleOpen(site, before[index]!)), ...compareRefs(site, before[index]!));
  }
  problems.push(...(await compareProjects(world, crew.projects)));
  problems.push(...(await compareSnippets(world, crew.snippets)));
  problems.push(...(await compareJobs(world, crew.jobs)));
  for (const wiki of crew.wikis) problems.push(...(await compareWiki(world, wiki)));
  if (problems.length > 0) return problems;
  // The server has to take reads and writes at once, whatever the killed one left.
  await Promise.all(crew.writers.map((writer) => writer.step()));
  problems.push(...(await findLeftovers(world)), ...(await findOrphans(world)));
  for (const site of world.sites) {
    const refs = await readRefs(site.dir);
    problems.push(...compareRefs(site, refs), ...(await compareContents(site)));
    problems.push(...(await compareEvents(world, site, refs)));
  }
  return [...problems, ...(await findDamage(world))];
}
