import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { parsePsTime, processGroupCpuTime } from './process-group-cpu.ts';

const BURN = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';

for (const [name, script] of [
  ['the first process', `${BURN}; echo on; exec sleep 600`],
  ['a child that goes on', `(${BURN}; echo on; exec sleep 600) & exec sleep 600`],
  ['children that have ended', `for n in 1 2; do /bin/sh -c '${BURN}'; done; echo on; exec sleep 600`],
] as const) {
  test(`the processor time of a group is that of ${name}`, async (t) => {
    const child = spawn('/bin/sh', ['-c', script], { detached: true });
    t.after(() => process.kill(-child.pid!, 'SIGKILL'));
    await once(child.stdout, 'data');
    const read = async () => (await processGroupCpuTime(child.pid!))!;
    // The start of `sleep` takes time of its own, later than the output on a busy machine.
    const readings = [await read()];
    do {
      await new Promise((resolve) => setTimeout(resolve, 200));
      readings.push(await read());
    } while (readings.at(-1) !== readings.at(-2) && readings.length < 50);
    const taken = readings.at(-1)!;
    assert.ok(taken >= 50 && taken < 60_000, String(readings));
    assert.equal(readings.at(-2), taken);
  });
}

test('a group that has gone has taken nothing', async () => {
  const child = spawn('/bin/true', { detached: true });
  await once(child, 'exit');
  assert.equal(await processGroupCpuTime(child.pid!), 0);
});

test('times are read as ps prints them', () => {
  for (const [text, ms] of [
    ['00:00:07', 7_000],
    ['1-02:03:04', 93_784_000],
    ['1:02.50', 62_500],
    ['123:00.01', 7_380_010],
  ] as const) {
    assert.equal(parsePsTime(text), ms);
  }
});
