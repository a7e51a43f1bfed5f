import { type BenchServer, residentMb } from './server.ts';

/** What a piece of work takes: the megabytes that the server grows by meanwhile, and its seconds. */
export interface Growth {
  megabytes: number;
  seconds: number;
}

/** Watches the server's memory while work is done. */
export async function growth(server: BenchServer, work: () => Promise<void>): Promise<Growth> {
  const pid = server.child.pid!;
  const before = await residentMb(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentMb(pid).catch(() => 0));
  }, 50);
  const started = performance.now();
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return { megabytes: peak - before, seconds: (performance.now() - started) / 1_000 };
}
