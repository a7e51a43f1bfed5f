/*
 * A pointer stands in a repository for a file kept elsewhere (git-lfs, docs/spec.md):
 *
 *   pointer = "version " url LF *( key " " value LF )   ; keys in ascending order, fewer than 1024 bytes in all
 *   key     = 1*( a-z / 0-9 / "." / "-" )
 *   value   = 1*( any character but CR and LF )
 *
 * `oid sha256:<64 hex digits>` and `size <bytes>` are required; keys we do not know are allowed.
 */

export interface LfsPointer {
  /** SHA-256 of the content, 64 lower-case hex digits. */
  oid: string;
  /** Size of the content in bytes. */
  size: number;
}

/** Files of this size or larger are not pointers. */
export const MAX_POINTER_BYTES = 1_024;

/** Current address of the specification, and the one in files created before its release. */
const VERSIONS: readonly string[] = ['https://git-lfs.github.com/spec/v1', 'https://hawser.github.com/spec/v1'];
const LINE = /^([a-z0-9.-]+) ([^ \r\n][^\r\n]*)$/;

/**
 * Parses an LFS pointer. Serves part 1, section 3 (`lfs=true` of raw files).
 * @param content the whole blob
 * @returns null for anything but a well-formed pointer
 */
export function parsePointer(content: Uint8Array): LfsPointer | null {
  if (content.length >= MAX_POINTER_BYTES) return null;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
  if (!text.startsWith('version ') || !text.endsWith('\n')) return null;
  const fields = new Map<string, string>();
  let last = '';
  for (const [index, line] of text.slice(0, -1).split('\n').entries()) {
    const [, key, value] = LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || fields.has(key)) return null;
    if (index > 0 && key <= last) return null;
    last = index === 0 ? '' : key;
    fields.set(key, value);
  }
  const oid = /^sha256:([0-9a-f]{64})$/.exec(fields.get('oid') ?? '')?.[1];
  const size = /^(?:0|[1-9][0-9]*)$/.test(fields.get('size') ?? '') ? Number(fields.get('size')) : Number.NaN;
  if (!VERSIONS.includes(fields.get('version') ?? '') || oid === undefined || !Number.isSafeInteger(size)) return null;
  return { oid, size };
}
