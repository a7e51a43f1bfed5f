import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Lab } from './experiment.ts';
import { until } from './until.ts';

const PRELOAD = resolve(import.meta.dirname, 'heap-preload.ts');
const MiB = 1024 * 1024;

/** What lives in the memory of the server that is started with `settings`. */
export interface LiveMemory {
  settings: Record<string, string>;
  /** Collects its garbage. @returns MiB that are left: of objects, and of buffers beside them */
  of(pid: number): Promise<{ heap: number; buffers: number }>;
}

/** Has the memory of a server measured. STITHY_HEAP_SNAPSHOTS names files that it is written to each time. */
export function liveMemory(lab: Lab): LiveMemory {
  const wanted = process.env.STITHY_HEAP_SNAPSHOTS;
  const file = wanted ?? join(lab.folder, 'heap');
  const more: Record<string, string> = wanted === undefined ? {} : { FAULT_HEAP_SNAPSHOTS: '1' };
  return {
    settings: { FAULT_HEAP: file, NODE_OPTIONS: `--import ${PRELOAD}`, ...more },
    of: async (pid) => {
      rmSync(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      await until('the memory is measured', async () => existsSync(file));
      const { heapUsed, external } = JSON.parse(readFileSync(file, 'utf8')) as { heapUsed: number; external: number };
      return { heap: Math.round((heapUsed / MiB) * 10) / 10, buffers: Math.round((external / MiB) * 10) / 10 };
    },
  };
}
