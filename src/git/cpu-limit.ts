import { processGroupCpuTime } from './process-group-cpu.ts';

/** What a child may take. */
export interface CpuLimit {
  /** Milliseconds of a processor, of the child and all that it starts. */
  cpuMs: number;
  /** Milliseconds by the clock, for a child that hangs or waits. */
  timeoutMs: number;
  /** Whether it has worked before: what it took until the first look does not count then. */
  isLongRunning?: boolean;
}

/** So many times its processor time a child may last by the clock, on a machine that is busy with others. */
export const CLOCK_FACTOR = 20;
/** Milliseconds between two looks at least. */
const LEAST_PAUSE_MS = 50;
/** The first look at one that is warm, in milliseconds: what it takes until then is little. */
const FIRST_LOOK_MS = 500;

/**
 * Limits the work of a child. While it can not have worked for so long nothing is looked at, so that short ones cost a timer.
 * @param pid of the child, which leads a process group; undefined while it does not run yet
 * @param onEnd called once: `work` where it has taken its processor time, `timeout` by the clock
 * @param timeOf what a group has taken
 * @returns what ends the watch
 */
export function limitCpu(
  pid: () => number | undefined,
  { cpuMs, timeoutMs, isLongRunning = false }: CpuLimit,
  onEnd: (reason: 'work' | 'timeout') => void,
  timeOf: (group: number) => Promise<number | null> = processGroupCpuTime,
): () => void {
  const until = performance.now() + timeoutMs;
  let before = isLongRunning ? null : 0;
  let isOver = false;
  let timer: NodeJS.Timeout;
  const end = (reason: 'work' | 'timeout') => {
    isOver = true;
    onEnd(reason);
  };
  const lookIn = (ms: number) => {
    const left = Math.max(0, until - performance.now());
    timer = setTimeout(() => void look(), Math.min(Math.max(ms, LEAST_PAUSE_MS), left));
  };
  const look = async () => {
    const group = pid();
    const taken = group === undefined || group === 0 ? null : await timeOf(group);
    if (isOver) return;
    before ??= taken;
    const left = cpuMs - ((taken ?? 0) - (before ?? 0));
    if (left <= 0) end('work');
    else if (performance.now() >= until) end('timeout');
    else lookIn(left);
  };
  lookIn(isLongRunning ? Math.min(FIRST_LOOK_MS, cpuMs / 4) : cpuMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
