/** Milliseconds of a processor that this thread has taken so far: time in which others have it is not counted. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
