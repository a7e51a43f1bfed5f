import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../test/support/git-fixture.ts';
import { isUnsynced } from './core/unsynced-folders.ts';
import { claimFolders } from './db/folder-claim.ts';
import { makeEphemeral } from './ephemeral-data.ts';

const name = (pid: number, end: string) => `stithy-ephemeral-${pid}-${end}`;

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid!;
}

test('a folder is removed with its server, and nothing in it is flushed meanwhile', async (t) => {
  const folder = join(temporaryFolder(t), name(process.pid, 'a1'));
  const remove = await makeEphemeral(folder);
  mkdirSync(join(folder, 'repositories'));
  assert.equal(isUnsynced(join(folder, 'repositories/x')), true);
  await remove();
  assert.deepEqual([existsSync(folder), isUnsynced(folder)], [false, false]);
});

test('what killed processes left is removed by the next one, and nothing else', async (t) => {
  const parent = temporaryFolder(t);
  const dead = await deadPid();
  const make = (folder: string, lock: boolean) => {
    const path = join(parent, folder);
    mkdirSync(path);
    if (lock) claimFolders([path], false)();
    writeFileSync(join(path, 'stithy.db'), '');
    return path;
  };
  const killed = make(name(dead, 'a1'), true);
  // In a container each start has the same id.
  const before = make(name(process.pid, 'a1'), true);
  const old = make(name(dead, 'a2'), false);
  utimesSync(old, new Date(0), new Date(0));
  const starting = make(name(dead, 'a3'), false);
  const running = make(name(process.ppid, 'a1'), true);
  const elsewhere = make(name(dead, 'a4'), true);
  const lock = claimFolders([elsewhere], false);
  t.after(lock);
  const others = ['stithy-ephemeral-1', 'stithy-ephemeral-x-a1', 'stithy-ephemeral-0-a1'].map((each) =>
    make(each, true),
  );
  const remove = await makeEphemeral(join(parent, name(process.pid, 'b1')));
  const second = await makeEphemeral(join(parent, name(process.pid, 'b2')));
  assert.deepEqual([killed, before, old].filter(existsSync), []);
  const kept = [starting, running, elsewhere, ...others, join(parent, name(process.pid, 'b1'))];
  assert.deepEqual(
    kept.filter((path) => !existsSync(path)),
    [],
  );
  await remove();
  await second();
});
