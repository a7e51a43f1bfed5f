import assert from 'node:assert/strict';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient } from '../../support/api-client.ts';
import { mustGit } from '../../support/git-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, must, projectWithWork, recordsOf, repositoryDir } from '../projects.ts';
import { fill, onSmallDisk } from '../small-disk.ts';
import { until } from '../until.ts';

interface Move {
  state: string;
  error_message: string | null;
}

/** A move to a disk that becomes full on the way leaves nothing there, and the repository as it was. */
export default {
  title: 'a storage that becomes full while a repository is moved to it',
  run: (lab) => onSmallDisk(lab, '8m', (disk) => moveTo(lab, disk)),
} satisfies Experiment;

async function moveTo(lab: Lab, disk: string): Promise<void> {
  const dataDir = join(lab.folder, 'data');
  const own = join(dataDir, 'repositories');
  const settings = { ...(await lab.newDatabase()), STITHY_STORAGES: `default=${own},second=${disk}=0` };
  const server = await lab.start(dataDir, settings);
  const call = apiClient(server.url, ROOT_TOKEN);
  const project = await projectWithWork(call, 'p');
  await must(call, 'POST', `${project.at}/wikis`, { title: 'Home', content: 'home' });
  for (let count = 0; count < 40; count += 1) await commitFile(call, project.at, 'main', `${count}.txt`);
  const records = recordsOf(dataDir, settings);
  const dir = await repositoryDir(records, dataDir, project);
  const refs = () => mustGit(dir, ['for-each-ref']);
  const before = await refs();
  /** Moves the project. @returns how it ended */
  const move = async (): Promise<Move> => {
    const path = `${project.at}/repository_storage_moves`;
    const { id } = await must<{ id: number }>(call, 'POST', path, { destination_storage_name: 'second' });
    let last: Move = { state: '', error_message: null };
    await until('the move is over', async () => {
      last = await must<Move & Record<string, unknown>>(call, 'GET', `${path}/${id}`);
      return ['finished', 'failed'].includes(last.state);
    });
    return last;
  };
  const copies = () => globSync('@hashed/*/*/*', { cwd: disk });
  // Room for a part of it: the disk becomes full in the middle.
  await mustGit(lab.folder, ['init', '--quiet', '--bare', join(disk, 'room')]);
  fill(disk);
  rmSync(join(disk, 'room'), { recursive: true });
  const failed = await move();
  lab.say(`${failed.state}: ${failed.error_message}`);
  assert.deepEqual([failed.state, failed.error_message], ['failed', 'The disk of the destination storage is full.']);
  await until('the copy is removed', async () => copies().length === 0);
  assert.equal(await refs(), before);
  await mustGit(dir, ['fsck', '--full', '--strict', '--no-dangling']);
  await commitFile(call, project.at, 'main', 'after.txt');
  await must(call, 'POST', `${project.at}/wikis`, { title: 'After', content: 'after' });
  rmSync(join(disk, 'filler'));
  assert.equal((await move()).state, 'finished');
  assert.equal(copies().length, 2);
  assert.equal((await call('GET', `${project.at}/repository/files/after.txt?ref=main`)).status, 200);
  lab.say('with room it is moved, with what was written meanwhile');
}
