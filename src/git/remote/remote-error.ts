import { GitError } from '../common/index.ts';

/** Reasons for failures of another server, derived from git's output. */
export type RemoteFailure =
  | 'credentials'
  | 'not_found'
  | 'unreachable'
  | 'stalled'
  | 'certificate'
  | 'redirect'
  | 'host_key'
  | 'no_ssh'
  | 'objects'
  | 'too_large'
  | 'too_many'
  | 'refused'
  | 'format'
  | 'failed';

/**
 * Messages for users. They contain no output of git or the other server, which may include the address with its
 * password.
 */
const TEXTS: Readonly<Record<RemoteFailure, string>> = {
  credentials: 'The remote repository refused the credentials. Check the user and the password, token or key.',
  not_found: 'The remote repository was not found. Check the address and that the credentials can read the repository.',
  unreachable: 'The remote server could not be reached. Check the address.',
  stalled: 'The remote server stopped answering.',
  certificate: 'The certificate of the remote server is not trusted.',
  redirect:
    'The remote server answered with a redirect, which is not followed. Use the address of the redirect target.',
  host_key: 'The host key of the remote server has changed.',
  no_ssh: 'This server has no SSH client. Use an HTTP address.',
  objects: 'The remote repository has objects that are damaged or invalid.',
  too_large: 'The remote repository is larger than this server accepts.',
  too_many: 'The remote repository has more branches and tags than this server accepts.',
  refused: 'The remote repository refused the changes.',
  format: 'The remote repository uses a different object format than this project.',
  failed: 'The remote repository could not be read.',
};

const SIGNS: readonly (readonly [RegExp, RemoteFailure])[] = [
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/, 'host_key'],
  [/cannot run .*ssh|ssh: (?:command )?not found|exec: .*ssh/, 'no_ssh'],
  [/returned error: 30\d|unable to update url base from redirection/, 'redirect'],
  [
    /Authentication failed|could not read (?:Username|Password)|returned error: 40[13]|Permission denied \(|HTTP Basic: Access denied|Too many authentication failures/i,
    'credentials',
  ],
  [
    /returned error: 404|repository .*not found|not found in upstream|does not appear to be a git repository/i,
    'not_found',
  ],
  [/repository not exported|no such file or directory|access denied or repository not exported/i, 'not_found'],
  [/SSL certificate|certificate verif|unable to get local issuer|server certificate/i, 'certificate'],
  [
    /Could not resolve host|Failed to connect|Connection (?:refused|timed out|reset|closed)|Couldn't connect|unable to connect|No route to host|Name or service not known|Operation too slow|Operation timed out|Empty reply|early EOF|hung up unexpectedly/i,
    'unreachable',
  ],
  [/File size limit exceeded|signal 25|file too large|out of memory/i, 'too_large'],
  // The file size limit leaves no message of its own.
  [/^fatal: fetch-pack: invalid index-pack output\s*$/, 'too_large'],
  [/fsck|invalid index-pack|missing (?:blob|tree|commit|necessary)|error in object|bad (?:object|pack)/i, 'objects'],
  [/\[remote rejected\]|pre-receive hook declined|remote: .*denied/i, 'refused'],
];

/** Progress lines. */
const PROGRESS =
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Indexing|Unpacking|Checking|Delta|Total) .*(?:\n|$)/gm;

/** Derives the reason of a failure from git's output. @param code exit code of git */
export function remoteFailure(stderr: string, code: number): RemoteFailure {
  const errors = stderr.replace(PROGRESS, '');
  const match = SIGNS.find(([sign]) => sign.test(errors));
  if (match !== undefined) return match[1];
  // The shell's exit code for a child that exceeded the file size limit.
  return code === 153 ? 'too_large' : 'failed';
}

/** A failure caused by another server or its data. The message may be shown to users. */
export class RemoteError extends GitError {
  readonly failure: RemoteFailure;

  constructor(failure: RemoteFailure) {
    super('failed', TEXTS[failure]);
    this.name = 'RemoteError';
    this.failure = failure;
  }
}
