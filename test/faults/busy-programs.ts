import { spawn } from 'node:child_process';

/** Seconds of a processor after which each ends by itself, should nobody end it. */
const MAX_SECONDS = 600;

/** Whether the programs run in a session of their own, which some systems give a share of the processors, or in the one of the server. */
export type BusySession = 'own' | 'same';

/** Does something while programs beside it would take all of the processors. */
export async function beside<T>(programs: number, work: () => Promise<T>, session: BusySession = 'own'): Promise<T> {
  const started = Array.from({ length: programs }, () =>
    spawn('/bin/sh', ['-c', `ulimit -t ${MAX_SECONDS}; while :; do :; done`], {
      stdio: 'ignore',
      detached: session === 'own',
    }),
  );
  try {
    return await work();
  } finally {
    for (const program of started) program.kill('SIGKILL');
  }
}
