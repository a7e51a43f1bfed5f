import { environmentFaultOf } from '../core/environment-fault.ts';

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

/** How git and the system say that nothing more can be written, in the middle of whatever failed by it; of a lock file git gives no reason. */
const DISK_FULL = /No space left on device|Disk quota exceeded|couldn't write '/i;

/** How they say that a file may not be used; not what another server says. */
const DENIED =
  /^(?!remote:).*: (?:Permission denied|Read-only file system|Operation not permitted|Input\/output error)$/m;
/** What the shell says that would start it. */
const NO_GIT = /exec: .*\bgit: not found/;

const SURROUNDINGS = [
  [DISK_FULL, 'disk_full'],
  [DENIED, 'denied'],
  [NO_GIT, 'no_git'],
] as const;

/** What git says when it finds the repository damaged, not the question wrong. */
const DAMAGE = [
  /not a git repository|does not appear to be a git repository/,
  /is corrupt|object file .* is empty|hash mismatch|garbage at end|reference broken|unknown object type/,
  /unable to (?:unpack|parse|stream|read tree|read sha1 file)|inflate:|could not read [0-9a-f]{40}/i,
  /packfile .* (?:cannot be accessed|index unavailable|does not match|claims|is far too short)/,
  /index file .* is too small|(?:wrong|non-monotonic|corrupt) index|bad (?:offset|pack) /,
  /invalid sha1 pointer|has a null OID/,
  /broken (?:link|delta)|missing (?:blob|tree|commit) [0-9a-f]{40}/,
];
/** Git lacks an object that it was asked for: damage where the server had found that the object is there. */
const LACK =
  /bad (?:object|tree)|nonexistent object|not a tree object|Not a valid (?:commit|object) name|not something we can merge/;

/** Whether what git has printed tells of damage. */
export const indicatesDamage = (text: string): boolean => DAMAGE.some((pattern) => pattern.test(text));

/** Refusals for want of places. */
const WANT: ReadonlySet<GitErrorCode> = new Set(['busy', 'caller_busy']);

/** What went wrong below HTTP. `message` is for the log: it may hold paths of the machine, so it is never sent to a client. */
export class GitError extends Error {
  readonly code: GitErrorCode;
  readonly exitCode: number | undefined;
  /** Whether the same work would come to the same end again: it is more than one request may cost. */
  readonly permanent: boolean;
  /** Set where the means were wanting: in how many milliseconds the same work is worth another attempt. */
  readonly retryAfterMs?: number;

  constructor(code: GitErrorCode, message: string, exitCode?: number) {
    super(message);
    this.name = 'GitError';
    // Else it would be taken for a conflict, a lock or damage.
    this.code = SURROUNDINGS.find(([said]) => said.test(message))?.[1] ?? code;
    this.exitCode = exitCode;
    if (WANT.has(this.code)) this.retryAfterMs = 1_000;
    this.permanent = this.code === 'timeout' || this.code === 'output_too_large';
  }

  /** Whether the repository is damaged, as far as nobody else could explain the error. */
  get damage(): boolean {
    if (this.code === 'corrupt') return true;
    if (this.code !== 'failed' && this.code !== 'invalid') return false;
    return indicatesDamage(this.message) || LACK.test(this.message);
  }
}

/** Whether an error says that a repository cannot be read as it is: damaged, or not for this user. */
export const isUnreadable = (error: unknown): boolean =>
  (error instanceof GitError && error.damage) || environmentFaultOf(error) === 'denied';
