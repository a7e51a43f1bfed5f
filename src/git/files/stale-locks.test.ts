import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeLocks, removeStaleLocks } from './stale-locks.ts';

const dir = mkdtempSync(join(tmpdir(), 'stithy-locks-'));
after(() => rmSync(dir, { recursive: true, force: true }));

test('locks of before, and those with a time to come, are removed; one of now stays', async () => {
  mkdirSync(join(dir, 'refs/heads'), { recursive: true });
  const now = Date.now();
  const times = { before: now - 60_000, now: now + 1_000, 'next-year': now + 365 * 24 * 3_600_000 };
  for (const [name, time] of Object.entries(times)) {
    const path = join(dir, `refs/heads/${name}.lock`);
    writeFileSync(path, '');
    utimesSync(path, new Date(time), new Date(time));
  }
  const removed = await removeStaleLocks(dir, new Date(now));
  assert.deepEqual(removed.sort(), ['refs/heads/before.lock', 'refs/heads/next-year.lock']);
  assert.equal(existsSync(join(dir, 'refs/heads/now.lock')), true);
});

test('a lock that is younger stays, however busy the machine is while it is looked at', async () => {
  const path = join(dir, 'refs/heads/young.lock');
  writeFileSync(path, '');
  const removing = removeStaleLocks(dir, new Date(Date.now() - 50));
  for (const end = Date.now() + 200; Date.now() < end; );
  assert.deepEqual(await removing, []);
  assert.equal(existsSync(path), true);
});

test('a lock that is a little older goes, however busy the machine is', async (t) => {
  const own = join(dir, 'own');
  mkdirSync(own);
  const path = join(own, 'old.lock');
  writeFileSync(path, '');
  const time = new Date(Date.now() - 30);
  utimesSync(path, time, time);
  let turns = 0;
  const busy = setInterval(() => {
    turns += 1;
    for (const end = performance.now() + 20; turns < 10 && performance.now() < end; );
  });
  t.after(() => clearInterval(busy));
  assert.deepEqual(await removeStaleLocks(own, new Date(time.getTime() + 10)), ['old.lock']);
});

test('the locks of named files are removed once they are old enough, or have a time to come', async () => {
  mkdirSync(join(dir, 'refs/tags'), { recursive: true });
  const now = Date.now();
  const times = { old: now - 10_000, young: now - 1_000, 'next-year': now + 365 * 24 * 3_600_000, other: now - 10_000 };
  for (const [name, time] of Object.entries(times)) {
    const path = join(dir, `refs/tags/${name}.lock`);
    writeFileSync(path, '');
    utimesSync(path, new Date(time), new Date(time));
  }
  const files = ['old', 'young', 'next-year', 'none'].map((name) => `refs/tags/${name}`);
  assert.equal(await removeLocks(dir, files, 5_000), false);
  assert.deepEqual(readdirSync(join(dir, 'refs/tags')).sort(), ['other.lock', 'young.lock']);
  assert.equal(await removeLocks(dir, files, 500), true);
  assert.deepEqual(readdirSync(join(dir, 'refs/tags')), ['other.lock']);
});
