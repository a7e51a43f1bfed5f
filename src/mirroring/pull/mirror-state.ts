import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';

/** State between two updates, stored in `pull_mirrors.settled`. */
export interface MirrorState {
  /**
   * Digest of both sides and all settings: if it is unchanged, there is nothing to do. Null if refs may be out of date.
   */
  digest: string | null;
  /** LFS objects of commits that were not available so far. */
  lacking: readonly LfsObject[];
}

/** With more missing objects, the next update examines all commits again. */
const MAX_LACKING = 1_000;
const NONE = '-';

/** Null if the next update must examine all commits again. */
export function serializeMirrorState({ digest, lacking }: MirrorState): string | null {
  if (lacking.length > MAX_LACKING) return null;
  return [digest ?? NONE, ...lacking.map(({ oid, size }) => `${oid}:${size}`)].join(' ');
}

/** State after the last update; null if unknown. */
export function parseMirrorState(text: string | null): MirrorState | null {
  if (text === null) return null;
  const [digest = NONE, ...rest] = text.split(' ');
  const lacking = rest.map((word) => {
    const [oid = '', size] = word.split(':');
    return { oid, size: Number(size) };
  });
  return { digest: digest === NONE ? null : digest, lacking };
}
