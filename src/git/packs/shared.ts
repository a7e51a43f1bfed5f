import { FairSlots } from '../../core/fair-slots.ts';
import { GitError } from '../errors.ts';
import { BlockFiles } from './block-files.ts';
import { SMALL } from './inflate.ts';
import { KeptBases } from './kept-bases.ts';
import type { Shared } from './raw-object.ts';
import { Turns } from './turns.ts';

/** Bytes that large deltas may take at once; more is had alone. */
const DELTA_MEMORY = 96 * 1024 * 1024;

/**
 * What readers of packs share.
 * @param limits bytes of blocks and of bases that are kept; files open at once; milliseconds after which a file that
 *   nobody reads is closed; `atOnce` and `readsVersions` as in `Shared`, default 256 KiB and false
 */
export function sharedByPacks(limits: {
  blockBytes: number;
  baseBytes: number;
  maxOpen: number;
  idleMs: number;
  atOnce?: number;
  readsVersions?: boolean;
}): Shared {
  return {
    files: new BlockFiles({ maxOpen: limits.maxOpen, maxBytes: limits.blockBytes, idleMs: limits.idleMs }),
    bases: new KeptBases(limits.baseBytes),
    memory: new FairSlots({
      total: DELTA_MEMORY,
      perKey: DELTA_MEMORY,
      maxWaiting: 1_000,
      maxWaitingPerKey: 1_000,
      refuse: () => new GitError('busy', 'too many large objects are waiting'),
    }),
    turns: new Turns(),
    atOnce: limits.atOnce ?? 4 * SMALL,
    readsVersions: limits.readsVersions ?? false,
  };
}
