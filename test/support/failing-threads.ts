import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** What Node says where the system gives it no thread, or a thread nothing to begin with. */
const failure = () =>
  Object.assign(new Error('Worker initialization failure: EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });

/** A thread that the system does not give. */
class NoThread {
  constructor() {
    throw failure();
  }
}

/** A thread of which nothing comes but that it could not begin. */
class FailingThread extends EventEmitter {
  constructor() {
    super();
    setImmediate(() => {
      this.emit('error', failure());
      this.emit('exit', 1);
    });
  }
  ref(): void {}
  unref(): void {}
  postMessage(): void {}
  cpuUsage = async () => ({ user: 0, system: 0 });
  terminate = async () => 1;
}

/**
 * Has every start of a thread fail until what it gives is called.
 * @param when whether the system gives no thread, or the thread finds nothing to begin with
 */
export function failingThreads(when: 'at once' | 'soon'): () => void {
  const { Worker } = threads;
  threads.Worker = (when === 'at once' ? NoThread : FailingThread) as unknown as typeof Worker;
  syncBuiltinESMExports();
  return () => {
    threads.Worker = Worker;
    syncBuiltinESMExports();
  };
}
