/**
 * Loaded into a server before everything else (`--import`): on SIGUSR2 it collects its garbage and writes to a file how much memory is in
 * use, in bytes: what lives, not what could be collected.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const file = process.env.FAULT_HEAP;

if (isMainThread && file !== undefined && process.argv.includes('serve')) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    for (let times = 0; times < 3; times += 1) collect();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ heapUsed, external, arrayBuffers }));
    if (process.env.FAULT_HEAP_SNAPSHOTS !== undefined) writeHeapSnapshot(`${file}-${Date.now()}.heapsnapshot`);
    renameSync(`${file}.new`, file);
  });
}
