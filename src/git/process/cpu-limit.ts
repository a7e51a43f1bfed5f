import { processGroupCpuTime } from './process-group-cpu.ts';

/** Limits of a child process. */
export interface CpuLimit {
  /** Processor time in milliseconds of the child and its descendants. */
  cpuMs: number;
  /** Duration in milliseconds, for a child that hangs or waits. */
  timeoutMs: number;
  /** Whether the process is reused: the time it took before is not counted. */
  isLongRunning?: boolean;
}

/** Default ratio of a child's duration to its processor time, for a busy machine. */
export const CLOCK_FACTOR = 20;
/** Minimum interval between two checks in milliseconds. */
const LEAST_PAUSE_MS = 50;
/** Delay of the first check of a reused process in milliseconds. It does little work until then. */
const FIRST_LOOK_MS = 500;

/**
 * Limits the processor time of a child. Nothing is checked before the limit can be reached, so a short-lived child
 * costs only a timer.
 * @param pid of the child, which leads a process group; undefined while it does not run yet
 * @param onEnd called once: `work` if the processor time is exceeded, `timeout` by the clock
 * @param timeOf returns the processor time of a group
 * @returns a function that stops the watch
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
