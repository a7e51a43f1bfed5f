import { FairSlots } from '../../../core/fair-slots.ts';
import { GitError } from '../../common/index.ts';
import { BlockFiles } from './block-files.ts';
import { DeltaBaseCache } from './delta-base-cache.ts';
import { EventLoopYield } from './event-loop-yield.ts';
import { MAX_INLINE_BYTES } from './inflate.ts';
import type { PackResources } from './raw-object.ts';

/** Memory for large deltas in bytes. A larger one runs alone. */
const DELTA_MEMORY = 96 * 1024 * 1024;

/**
 * Creates the resources shared by pack readers.
 * @param limits bytes for cached blocks and bases; maximum number of open files; milliseconds after which an idle
 *   file is closed; `inlineInflateBytes` and `readsVersions` as in `PackResources`, default 256 KiB and false
 */
export function createPackResources(limits: {
  blockBytes: number;
  baseBytes: number;
  maxOpen: number;
  idleMs: number;
  inlineInflateBytes?: number;
  readsVersions?: boolean;
}): PackResources {
  return {
    files: new BlockFiles({ maxOpen: limits.maxOpen, maxBytes: limits.blockBytes, idleMs: limits.idleMs }),
    bases: new DeltaBaseCache(limits.baseBytes),
    memory: new FairSlots({
      total: DELTA_MEMORY,
      perKey: DELTA_MEMORY,
      maxWaiting: 1_000,
      maxWaitingPerKey: 1_000,
      refuse: () => new GitError('busy', 'too many large objects are waiting'),
    }),
    fairness: new EventLoopYield(),
    inlineInflateBytes: limits.inlineInflateBytes ?? 4 * MAX_INLINE_BYTES,
    readsVersions: limits.readsVersions ?? false,
  };
}
