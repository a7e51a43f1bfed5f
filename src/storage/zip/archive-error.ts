/** Why an archive, or a file in it, cannot be read. */
export type ArchiveErrorCode =
  /** Not a zip archive, or one with contradictions. */
  | 'malformed'
  /** Too many entries, names or bytes. */
  | 'too_large'
  /** The content is missing. */
  | 'gone';

export class ArchiveError extends Error {
  override name = 'ArchiveError';
  readonly code: ArchiveErrorCode;

  constructor(code: ArchiveErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
