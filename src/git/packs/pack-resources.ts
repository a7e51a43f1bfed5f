import { FairSlots } from '../../core/fair-slots.ts';
import { GitError } from '../git.errors.ts';
import { BlockFiles } from './block-files.ts';
import { DeltaBaseCache } from './delta-base-cache.ts';
import { EventLoopYield } from './event-loop-yield.ts';
import { MAX_INLINE_BYTES } from './inflate.ts';
import type { PackResources } from './raw-object.ts';

/** Bytes that large deltas may take at once; more is had alone. */
const DELTA_MEMORY = 96 * 1024 * 1024;

/**
 * What readers of packs share.
 * @param limits bytes of blocks and of bases that are kept; files open at once; milliseconds after which a file that
 *   nobody reads is closed; `inlineInflateBytes` and `readsVersions` as in `PackResources`, default 256 KiB and false
 */
export function createPackResources(limits: {
  blockBytes: number;
  baseBytes: number;
  maxOpen: number;
  idleMs: number;
  atOnce?: number;
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
    inlineInflateBytes: limits.atOnce ?? 4 * MAX_INLINE_BYTES,
    readsVersions: limits.readsVersions ?? false,
  };
}
