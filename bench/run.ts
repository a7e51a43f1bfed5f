/** `npm run bench`: makes its data, measures each figure of docs/performance.md and prints the table. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifacts } from './artifacts.ts';
import { cold } from './cold/index.ts';
import { makeRepository } from './data.ts';
import { type Bench, blame, clone, commits, type Figure, lastCommit, READS } from './figures.ts';
import { firstMinute } from './first-minute/index.ts';
import { instances } from './instances/index.ts';
import { lint } from './lint.ts';
import { lists } from './lists.ts';
import { npm } from './npm.ts';
import { packages } from './packages.ts';
import { pipelines } from './pipelines.ts';
import { runners } from './runners.ts';
import { seed } from './seed.ts';
import { residentMb, startBare, startServer } from './server.ts';
import { starts } from './starts.ts';
import { unleash } from './unleash.ts';
import { webhooks } from './webhooks.ts';

const PORT = 18_765;
const data = fileURLToPath(new URL('.data', import.meta.url));
const selected = process.argv.slice(2);
const HEAD = '| what | measured | limit | kept |\n| --- | --- | --- | --- |\n';
const say = (text: string) => process.stderr.write(`${text}\n`);

function row({ name, measured, value, limit, better }: Figure): string {
  const good = better === 'more' ? value >= limit : value <= limit;
  return `| ${name} | ${measured} | ${better === 'more' ? '>=' : '<='} ${limit} | ${good ? 'yes' : 'NO'} |`;
}

await mkdir(data, { recursive: true });
if (selected[0] === 'lists') {
  const all = await lists(data, (figure) => say(row(figure)), selected.slice(1));
  process.stdout.write(`${HEAD}${all.map(row).join('\n')}\n`);
  process.exit(0);
}
if (selected[0] === 'first-minute') {
  const all = await firstMinute(data, selected.slice(1), (figure) => say(row(figure)));
  process.stdout.write(`${HEAD}${all.map(row).join('\n')}\n`);
  process.exit(0);
}
if (selected[0] === 'cold') {
  const all = await cold(data, selected.slice(1), (figure) => say(row(figure)));
  process.stdout.write(`${HEAD}${all.map(row).join('\n')}\n`);
  process.exit(0);
}
if (selected[0] === 'instances') {
  const all = await instances(join(data, 'instances'), selected.slice(1), (figure) => say(row(figure)));
  process.stdout.write(`${HEAD}${all.map(row).join('\n')}\n`);
  process.exit(0);
}
say('making the repository (kept for later runs) ...');
await makeRepository(join(data, 'repository.git'));
say('filling a data folder ...');
const dataDir = join(data, 'server');
const repository = await seed(dataDir, join(data, 'repository.git'));
const figures: Figure[] = [];
const measure = async (name: string, run: () => Promise<Figure | Figure[]>) => {
  if (selected.length > 0 && !selected.includes(name)) return;
  say(`measuring ${name} ...`);
  for (const figure of [await run()].flat()) {
    figures.push(figure);
    say(row(figure));
  }
};

await measure('starts', () => starts(dataDir, data, PORT));
await measure('artifacts', () => artifacts(join(data, 'artifacts'), PORT));
await measure('npm', () => npm(join(data, 'npm'), PORT));
await measure('packages', () => packages(join(data, 'packages'), PORT));
await measure('runners', () => runners(join(data, 'runners'), PORT));
await measure('unleash', () => unleash(join(data, 'unleash'), PORT));
await measure('webhooks', () => webhooks(join(data, 'webhooks'), PORT));
const server = await startServer(dataDir, PORT);
const bare = await startBare();
const bench: Bench = { server, bare, repository, scratch: data };
let peak = 0;
const watch = setInterval(async () => {
  peak = Math.max(peak, await residentMb(server.child.pid!).catch(() => 0));
}, 200);
try {
  await measure('last-commit', () => lastCommit(bench));
  await measure('blame', () => blame(bench));
  for (const [name, read] of Object.entries(READS)) await measure(name, () => read(bench));
  await measure('commits', () => commits(bench));
  await measure('lint', () => lint(server));
  await measure('pipelines', () => pipelines(server));
  await measure('clone', () => clone(bench));
  await measure('memory', async () => ({
    name: 'resident memory under the bench, highest',
    measured: `${peak.toFixed(0)} MB`,
    value: peak,
    limit: 350,
    better: 'less' as const,
  }));
} finally {
  clearInterval(watch);
  bare.stop();
  await server.stop();
  await rm(join(data, 'clone'), { recursive: true, force: true });
}
process.stdout.write(`${HEAD}${figures.map(row).join('\n')}\n`);
