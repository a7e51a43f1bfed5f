import { availableParallelism } from 'node:os';
import { maxPendingReads, readerThread } from './api/code/index.ts';
import { LoopLoad } from './core/loop-load.ts';
import type { RepositoryPool } from './git/repository/index.ts';

/** More threads do not make lists faster, and each takes some 65 MB. */
const MAX_READERS = 2;

/** Lets reads of repositories run in threads while this one is busy. */
export function allowReaderThreads({ readers }: Pick<RepositoryPool, 'readers'>): void {
  const processors = availableParallelism();
  const load = new LoopLoad();
  readers.allow({
    ...readerThread,
    threads: Math.min(MAX_READERS, processors - 1),
    isNeeded: () => load.isBusy,
    ...(processors > 2 ? {} : { maxPending: maxPendingReads }),
  });
}
