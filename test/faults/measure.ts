import { readFileSync } from 'node:fs';

const LOOK_MS = 20;

function residentMiB(pid: number): number {
  try {
    const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return Math.round(Number(match?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** The most memory (MiB, resident) that processes have together while something goes on (Linux). */
export async function peakMemory(pids: readonly number[], during: () => Promise<void>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(
      peak,
      pids.reduce((sum, pid) => sum + residentMiB(pid), 0),
    );
  }, LOOK_MS);
  try {
    await during();
  } finally {
    clearInterval(timer);
  }
  return peak;
}
