export type GitErrorCode =
  | 'failed'
  | 'timeout'
  | 'aborted'
  | 'output_too_large'
  | 'busy'
  | 'caller_busy'
  | 'not_found'
  | 'corrupt'
  | 'invalid'
  | 'conflict'
  | 'locked'
  | 'unavailable';

/** What went wrong below HTTP. `message` is for the log: it may hold paths of the machine, so it is never sent to a client. */
export class GitError extends Error {
  readonly code: GitErrorCode;
  readonly exitCode: number | undefined;
  /** Whether the same work would come to the same end again: it is more than one request may cost. */
  readonly lasting: boolean;

  constructor(code: GitErrorCode, message: string, exitCode?: number) {
    super(message);
    this.name = 'GitError';
    this.code = code;
    this.exitCode = exitCode;
    this.lasting = code === 'timeout' || code === 'output_too_large';
  }
}
