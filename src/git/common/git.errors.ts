import { environmentFaultOf } from '../../core/environment-fault.ts';

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
  | 'unavailable'
  | 'disk_full'
  | 'denied'
  | 'no_git';

/** Messages of git and the system when the disk is full. For a lock file git gives no reason. */
const DISK_FULL = /No space left on device|Disk quota exceeded|couldn't write '/i;

/** Messages for denied access, except those of a remote server. */
const DENIED =
  /^(?!remote:).*: (?:Permission denied|Read-only file system|Operation not permitted|Input\/output error)$/m;
/** Message of the shell that starts git. */
const NO_GIT = /exec: .*\bgit: not found/;

const SURROUNDINGS = [
  [DISK_FULL, 'disk_full'],
  [DENIED, 'denied'],
  [NO_GIT, 'no_git'],
] as const;

/** Messages of git that indicate a damaged repository. */
const DAMAGE = [
  /not a git repository|does not appear to be a git repository/,
  /is corrupt|object file .* is empty|hash mismatch|garbage at end|reference broken|unknown object type/,
  /unable to (?:unpack|parse|stream|read tree|read sha1 file)|inflate:|could not read [0-9a-f]{40}/i,
  /packfile .* (?:cannot be accessed|index unavailable|does not match|claims|is far too short)/,
  /index file .* is too small|(?:wrong|non-monotonic|corrupt) index|bad (?:offset|pack) /,
  /invalid sha1 pointer|has a null OID/,
  /broken (?:link|delta)|missing (?:blob|tree|commit) [0-9a-f]{40}/,
];
/** Messages for a missing object: damage if the server knew that the object exists. */
const LACK =
  /bad (?:object|tree)|nonexistent object|not a tree object|Not a valid (?:commit|object) name|not something we can merge/;

/** Whether git's output indicates damage. */
export const indicatesDamage = (text: string): boolean => DAMAGE.some((pattern) => pattern.test(text));

/** Error codes that mean a lack of resources. */
const WANT: ReadonlySet<GitErrorCode> = new Set(['busy', 'caller_busy']);

/** An error below HTTP. `message` is for the log: it may contain server paths, so it is never sent to a client. */
export class GitError extends Error {
  readonly code: GitErrorCode;
  readonly exitCode: number | undefined;
  /** Whether a retry would fail as well because the work exceeds the limits of a request. */
  readonly permanent: boolean;
  /** Set if resources were lacking: delay in milliseconds before a retry. */
  readonly retryAfterMs?: number;

  constructor(code: GitErrorCode, message: string, exitCode?: number) {
    super(message);
    this.name = 'GitError';
    // Takes precedence, since these could be mistaken for a conflict, a lock or damage.
    this.code = SURROUNDINGS.find(([pattern]) => pattern.test(message))?.[1] ?? code;
    this.exitCode = exitCode;
    if (WANT.has(this.code)) this.retryAfterMs = 1_000;
    this.permanent = this.code === 'timeout' || this.code === 'output_too_large';
  }

  /** Whether the repository is damaged, unless the caller has another explanation. */
  get damage(): boolean {
    if (this.code === 'corrupt') return true;
    if (this.code !== 'failed' && this.code !== 'invalid') return false;
    return indicatesDamage(this.message) || LACK.test(this.message);
  }
}

/** Whether an error means that a repository cannot be read: damaged, or without permission. */
export const isUnreadable = (error: unknown): boolean =>
  (error instanceof GitError && error.damage) || environmentFaultOf(error) === 'denied';
