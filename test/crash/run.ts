/**
 * Kills the server in the middle of writes and looks whether it kept what it had acknowledged:
 * `npm run test:crash`, or `node test/crash/run.ts [--rounds N] [--seed N] [--postgres]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/runner/postgres.ts';
import { Births } from './births.ts';
import { treeEntry } from './ledger.ts';
import { Random } from './random.ts';
import { type Crew, crash, verify } from './round.ts';
import { World } from './world.ts';
import { CommitWriter } from './writers/commit-writer.ts';
import { JobWriter } from './writers/job-writer.ts';
import { ManyRefsWriter } from './writers/many-refs-writer.ts';
import { ProjectWriter } from './writers/project-writer.ts';
import { PushWriter } from './writers/push-writer.ts';
import { RefWriter } from './writers/ref-writer.ts';
import { SnippetWriter } from './writers/snippet-writer.ts';
import { type WikiPlace, WikiWriter } from './writers/wiki-writer.ts';
import { repositoryPath, type Writer } from './writers/writer.ts';

const SITES = 2;
const MAX_ROUNDS = 1_000_000;

function readOptions(): { rounds: number; seed: number; postgres: boolean } {
  const { values } = parseArgs({
    options: { rounds: { type: 'string' }, seed: { type: 'string' }, postgres: { type: 'boolean' } },
  });
  const rounds = Number(values.rounds ?? 50);
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) throw new Error('--rounds takes a whole number');
  if (!Number.isInteger(seed)) throw new Error('--seed takes a whole number');
  return { rounds, seed, postgres: values.postgres ?? false };
}

/** Makes the projects with a first commit, and everybody who writes to them. */
async function makeCrew(world: World, random: Random): Promise<Crew> {
  await world.makeSites(SITES);
  const writers: Writer[] = [];
  for (const [index, site] of world.sites.entries()) {
    const content = `site ${index}\n`;
    const body = {
      branch: 'main',
      commit_message: 'first',
      actions: [{ action: 'create', file_path: 'README.md', content }],
    };
    const after = {
      oid: null,
      label: 'first',
      files: new Map([['README.md', treeEntry(content)]]),
      history: [],
    };
    const operation = { name: 'first commit', changes: [{ ref: 'refs/heads/main', before: null, after }] };
    await site.ledger.attempt(operation, async () => {
      const { id } = await world.must<{ id: string }>('POST', `${repositoryPath(site)}/commits`, body);
      return { acknowledged: true, oids: [id] };
    });
    const context = (name: string) => ({ world, site, random: new Random(random.below(2 ** 31)), name });
    const pushers = [`push-${index}-a`, `push-${index}-b`].map((name) => new PushWriter(context(name)));
    const many = new ManyRefsWriter(context(`many-${index}`));
    for (const pusher of [...pushers, many]) await pusher.prepare();
    writers.push(new CommitWriter(context('commits-a')), new CommitWriter(context('commits-b')), ...pushers, many);
    writers.push(new RefWriter(context('branches'), 'branches'), new RefWriter(context('tags'), 'tags'));
  }
  const projects = new ProjectWriter(world, new Random(random.below(2 ** 31)));
  const snippets = new SnippetWriter(world, new Random(random.below(2 ** 31)));
  const jobs = new JobWriter(world, new Random(random.below(2 ** 31)));
  await jobs.prepare();
  const wikis = await makeWikiWriters(world, random);
  return { writers: [...writers, projects, snippets, jobs, ...wikis], projects, snippets, jobs, wikis };
}

/** Somebody who writes the wiki of a project, and somebody who writes that of a group. */
async function makeWikiWriters(world: World, random: Random): Promise<WikiWriter[]> {
  const { id, full_path: fullPath } = await world.must<{ id: number; full_path: string }>('POST', '/groups', {
    path: 'with-wiki',
    name: 'With a wiki',
  });
  const places: WikiPlace[] = [
    { kind: 'project', id: world.sites[0]!.id, fullPath: world.sites[0]!.fullPath },
    { kind: 'group', id, fullPath },
  ];
  const writers = places.map((place) => new WikiWriter(world, new Random(random.below(2 ** 31)), place));
  for (const writer of writers) await writer.prepare();
  return writers;
}

async function main(): Promise<number> {
  const { rounds, seed, postgres } = readOptions();
  const database = postgres ? await startPostgres() : null;
  process.env.STITHY_TEST_POSTGRES = database?.url ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'stithy-crash-'));
  const world = new World(folder, database?.url ?? null);
  process.stdout.write(`crash: ${rounds} rounds, seed ${seed}\n`);
  const births = new Births(folder, new Random(seed + 1), postgres);
  let passed = 0;
  let problems: string[] = [];
  let acknowledged = 0;
  try {
    await world.start();
    const random = new Random(seed);
    const crew = await makeCrew(world, random);
    while (passed < rounds && problems.length === 0) {
      problems = await crash(world, crew, random, passed % 2 === 1);
      if (problems.length === 0) problems = await verify(world, crew);
      // A first start, then an upgrade, beside it.
      if (problems.length === 0 && passed % 2 === 1) problems = await births.round(passed % 4 === 3);
      if (problems.length === 0) passed += 1;
    }
    acknowledged = crew.projects.acknowledged + crew.snippets.acknowledged + crew.jobs.acknowledged;
    for (const wiki of crew.wikis) acknowledged += wiki.acknowledged;
    for (const { ledger } of world.sites) acknowledged += ledger.acknowledged;
    await world.server.stop();
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (world.started) await world.server.kill();
  }
  if (problems.length === 0) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } else {
    process.stdout.write(`\nround ${passed + 1} of seed ${seed}:\n${problems.join('\n')}\n`);
    process.stdout.write(`data, clones and log are kept in ${folder}\n`);
  }
  await database?.stop();
  const lost = problems.filter((problem) => problem.startsWith('lost')).length;
  process.stdout.write(
    `crash: ${passed} rounds, ${acknowledged} acknowledged writes, ${lost} lost, ${births.kills} kills in first starts and upgrades\n`,
  );
  process.stdout.write(`${passed} passed, ${problems.length === 0 ? 0 : 1} failed\n`);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
