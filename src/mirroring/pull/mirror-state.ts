import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';

/** What an update leaves for the next one, kept in `pull_mirrors.settled`. */
export interface MirrorState {
  /** Of both sides and all settings: where it is the same, refs are as they should be. Null where they may not be. */
  digest: string | null;
  /** LFS objects that commits refer to, and that could not be had so far. */
  lacking: readonly LfsObject[];
}

/** More than these are looked for in the commits again. */
const MAX_LACKING = 1_000;
const NONE = '-';

/** Null where the next update has to look at all commits again. */
export function serializeMirrorState({ digest, lacking }: MirrorState): string | null {
  if (lacking.length > MAX_LACKING) return null;
  return [digest ?? NONE, ...lacking.map(({ oid, size }) => `${oid}:${size}`)].join(' ');
}

/** What the last update left; null where nothing is known. */
export function parseMirrorState(text: string | null): MirrorState | null {
  if (text === null) return null;
  const [digest = NONE, ...rest] = text.split(' ');
  const lacking = rest.map((word) => {
    const [oid = '', size] = word.split(':');
    return { oid, size: Number(size) };
  });
  return { digest: digest === NONE ? null : digest, lacking };
}
