import { spawn } from 'node:child_process';

/** Seconds of a processor after which each ends by itself, should nobody end it. */
const MOST_S = 600;

/** Does something while programs beside it would take all of the processors, in a session of their own. */
export async function beside<T>(programs: number, work: () => Promise<T>): Promise<T> {
  const loop = `(ulimit -t ${MOST_S}; while :; do :; done) &`;
  const started = spawn('/bin/sh', ['-c', `${loop.repeat(programs)} wait`], { stdio: 'ignore', detached: true });
  try {
    return await work();
  } finally {
    process.kill(-started.pid!, 'SIGKILL');
  }
}
