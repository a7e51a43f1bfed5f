/** Why an archive, or a file of it, is not read. */
export type ArchiveErrorCode =
  /** It is no zip archive, or one that contradicts itself. */
  | 'malformed'
  /** More entries, names or bytes than are read. */
  | 'too_large'
  /** Its bytes are not there. */
  | 'gone';

export class ArchiveError extends Error {
  override name = 'ArchiveError';
  readonly code: ArchiveErrorCode;

  constructor(code: ArchiveErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
