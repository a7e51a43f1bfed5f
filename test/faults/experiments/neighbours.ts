import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Stithy, start } from '../../../src/index.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { fill, onSmallDisk } from '../small-disk.ts';
import { readiness, until } from '../until.ts';

const SIZE = '64m';
const ROUNDS = 20;

const startOn = (dataDir: string): Promise<Stithy> =>
  start({ bench: true, settings: { STITHY_PORT: '0', STITHY_DATA_DIR: dataDir } });

/** Writes to a repository and to the database. @returns the statuses */
async function write({ api }: Stithy, name: string): Promise<number[]> {
  const file = { branch: 'main', commit_message: name, content: name.repeat(1_000) };
  const files = await api('POST', `/projects/root%2Fp/repository/files/${name}`, file, { raw: true });
  const issues = await api('POST', '/projects/root%2Fp/issues', { title: name }, { raw: true });
  return [files.status, issues.status];
}

/** Of servers in one process one has a full disk; the other goes on. */
export default {
  title: 'two servers in one process: the disk of one full, then not',
  engines: ['sqlite'],
  run: (lab) => onSmallDisk(lab, SIZE, (disk) => besideFullDisk(lab, disk)),
} satisfies Experiment;

async function besideFullDisk(lab: Lab, disk: string): Promise<void> {
  const full = await startOn(join(disk, 'data'));
  const well = await startOn(join(lab.folder, 'well'));
  for (const { api } of [full, well]) await api('POST', '/projects', { path: 'p', initialize_with_readme: true });
  await well.snapshot('begin');
  fill(disk);
  await until('readiness tells it', async () => (await readiness(full.url)) === 503);
  for (let round = 0; round < ROUNDS; round += 1) {
    const [refused, done] = await Promise.all([write(full, `full-${round}`), write(well, `well-${round}`)]);
    assert.equal(refused[0], 507);
    assert.deepEqual(done, [201, 201]);
  }
  assert.equal(await readiness(well.url), 200);
  await well.idle();
  await well.restore('begin');
  assert.deepEqual(await write(well, 'well-0'), [201, 201]);
  lab.say(`${ROUNDS} rounds of writes to both: those to the other were all done, and it was restored`);
  rmSync(join(disk, 'filler'));
  await until('readiness is true again', async () => (await readiness(full.url)) === 200);
  assert.deepEqual(await write(full, 'after'), [201, 201]);
  fill(disk);
  await full.stop();
  assert.deepEqual(await write(well, 'well-alone'), [201, 201]);
  await well.stop();
  lab.say('the full one stopped while its disk was full');
}
