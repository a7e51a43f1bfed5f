import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { type Caller, originOf, rateLimitKeyOf } from '../../access/caller.ts';
import { revalidateCaller } from '../../access/revalidate.ts';
import { ApiError, refused } from '../../core/core.errors.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { addressKey } from '../../core/fair-slots.ts';
import { inScope } from '../../core/request-scope.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import type { Service, TransportSession } from '../../git/transport/index.ts';
import { refuseInMaintenance } from '../../settings/settings.maintenance.ts';
import { RULER } from '../after-push/frame.ts';
import { authorizeGit } from '../git-server.access.ts';
import { serve, serveArchive } from '../git-server.serve.ts';
import { authorizeLfs } from '../lfs/lfs.access.ts';
import { lfsAuthentication } from '../lfs/lfs-tokens.ts';
import { makeToken } from './access-token.ts';
import type { Command } from './protocol/ssh.connection.ts';
import { parseCommand, type SshCommand } from './ssh-server.commands.ts';

/**
 * Called before the server looks for a client or runs a command.
 * @returns a function to call once it has ended
 * @throws ApiError if it must not be done now
 */
export type Admit = () => Promise<() => void>;

/** An authenticated client and its address. */
export interface SshClient {
  caller: Caller;
  address: string;
}

/** Git's exit code for fatal errors. */
const FAILED = 128;
const REFUSED = 1;
const MINUTE = 60;
/** Status prefix of HTTP error messages. */
const STATUS = /^\d{3} (?:[A-Z][a-z]+ )+- |^\d{3} /;

/**
 * Runs an SSH command with the caller's current rights and closes the channel. Never rejects.
 * @param command command line of the client
 * @param admit called before it runs; null to admit it
 */
export async function runCommand(
  deps: Deps,
  { caller, address }: SshClient,
  command: Command,
  admit: Admit | null = null,
): Promise<void> {
  const begun = performance.now();
  const correlationId = randomUUID();
  const ended = deps.inFlight.begin();
  const sshCommand = parseCommand(command.line);
  const share = `${deps.start.prefix}${rateLimitKeyOf(caller, address)}`;
  const scope = { caller: share, origin: originOf(caller, address) };
  let code = REFUSED;
  let left: (() => void) | undefined;
  try {
    left = await admit?.();
    if (command.channel.left.signal.aborted) throw new GitError('aborted', 'the connection was closed');
    code = await inScope(scope, () => run(deps, { caller, address }, sshCommand, command, correlationId));
  } catch (error) {
    command.channel.stderr.write(inFrame(explain(deps, error, correlationId)));
  } finally {
    // Output that the client no longer receives is dropped.
    await command.channel.finish(code).catch(() => {});
    left?.();
    ended();
  }
  deps.log.log('info', 'ssh', {
    correlation_id: correlationId,
    command: sshCommand.kind === 'git' ? `git-${sshCommand.service}` : sshCommand.kind,
    path: 'path' in sshCommand ? sshCommand.path : undefined,
    exit_code: code,
    duration_s: Math.round((performance.now() - begun) * 1e3) / 1e6,
    user_id: caller.user?.id,
    username: caller.user?.username,
    remote_ip: address,
  });
}

async function run(
  deps: Deps,
  client: SshClient,
  sshCommand: SshCommand,
  { channel, variables }: Command,
  correlationId: string,
): Promise<number> {
  await deps.settings.fresh();
  const caller = await revalidateCaller(deps, client.caller);
  switch (sshCommand.kind) {
    case 'welcome':
      channel.output.write(`Welcome to Stithy, ${await nameOf(deps, caller)}!\n`);
      return 0;
    case 'lfs': {
      const { path, operation } = sshCommand;
      throttle(deps, client, `lfs-${operation}:${path}`);
      const access = await authorizeLfs(deps, caller, path, operation === 'upload' ? 'write' : 'read');
      channel.output.write(`${JSON.stringify(await lfsAuthentication(deps, access))}\n`);
      return 0;
    }
    case 'git': {
      const { service, path } = sshCommand;
      throttle(deps, client, `${service}:${path}`);
      const protocol = variables.get('GIT_PROTOCOL');
      const { signal } = channel.left;
      const session = { address: client.address, correlationId, protocol, signal, stateless: false };
      return runGit(deps, caller, service, path, { ...session, channel });
    }
    case 'archive': {
      const { path } = sshCommand;
      throttle(deps, client, `upload-archive:${path}`);
      const access = await authorizeGit(deps, caller, path, 'read');
      const still = async () => authorizeGit(deps, await revalidateCaller(deps, caller), path, 'read');
      const { signal } = channel.left;
      const session = { address: client.address, correlationId, signal, stateless: false };
      const leave = deps.expensive.enter(rateLimitKeyOf(caller, client.address));
      try {
        return await send(await serveArchive(deps, access, channel.input, session, still), channel);
      } finally {
        leave();
      }
    }
    case 'access-token':
      throttle(deps, client, 'personal_access_token');
      refuseInMaintenance(deps);
      channel.output.write(await makeToken(deps, caller, sshCommand.words));
      return 0;
    case 'recovery-codes':
      // No account has a second factor.
      if (caller.user === null) throw refused('Deploy keys cannot be used to retrieve recovery codes', 403);
      throw refused('Two-factor authentication is not enabled for this user', 403);
    case 'invalid':
      throw refused(`Invalid SSH command: ${sshCommand.line}`, 400);
    default:
      throw refused('Disallowed command', 400);
  }
}

/** Name in the greeting; for a deploy key, that of the user who created it. */
async function nameOf({ db }: Deps, { user, credential }: Caller): Promise<string> {
  if (user !== null) return `@${user.username}`;
  const id = credential.kind === 'deploy_key' ? credential.key.user_id : null;
  const maker =
    id === null ? undefined : await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirst();
  return maker === undefined ? 'Anonymous' : `@${maker.username}`;
}

interface GitSession {
  address: string;
  correlationId: string;
  protocol: string | undefined;
  signal: AbortSignal;
  stateless: boolean;
  channel: Command['channel'];
}

async function runGit(
  deps: Deps,
  caller: Caller,
  service: Service,
  path: string,
  { channel, ...client }: GitSession,
): Promise<number> {
  const pushes = service === 'receive-pack';
  const access = await authorizeGit(deps, caller, path, pushes ? 'write' : 'read', { creates: pushes });
  return send(await serve(deps, access, service, channel.input, client), channel);
}

/** Sends git's output. @returns the exit code for the client */
async function send(session: TransportSession, channel: Command['channel']): Promise<number> {
  // Git's exit status reports interrupted streams.
  await pipeline(session.output, channel.output, { end: false }).catch(() => {});
  const { code, killed } = await session.done;
  return killed === null ? code : FAILED;
}

/** Rate limits the same operation of a caller, and all operations of an address. @throws ApiError 429 */
function throttle(deps: Deps, { caller, address }: SshClient, what: string): void {
  const limit = { requests: deps.settings.now.gitlab_shell_operation_limit, periodSeconds: MINUTE };
  deps.limiter.check('gitlab_shell_operation', `${rateLimitKeyOf(caller, address)}:${what}`, limit);
  deps.limiter.check('gitlab_shell_operation', addressKey(address), limit);
}

/** Error message for the client, without internal details. */
function explain(deps: Deps, error: unknown, correlationId: string): string {
  // 503 is an expected response, as in maintenance mode.
  if (error instanceof ApiError && (error.status < 500 || error.status === 503))
    return error.message.replace(STATUS, '');
  if (error instanceof GitError && error.code === 'busy') return 'The server is busy. Please try again later.';
  if (error instanceof GitError && error.code === 'caller_busy') {
    return 'You have too many requests under way. Wait for some to end, then try again.';
  }
  if (error instanceof GitError && error.code === 'aborted') return 'The connection was closed.';
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  deps.log.log('error', 'an SSH command failed', { correlation_id: correlationId, error: message, stack });
  const fault = environmentFaultOf(error);
  if (fault === 'unavailable') return 'The server cannot reach its database. Please try again later.';
  if (fault === 'disk_full') return 'The disk of the server is full.';
  return `Internal error. Details are in the server log under ${correlationId}.`;
}

/** A refusal in the platform's layout; git adds its own lines. */
const inFrame = (text: string): string =>
  ['', RULER, '', `ERROR: ${text.toWellFormed()}`, '', RULER, '']
    .map((line) => `${`remote: ${line}`.trimEnd()}\n`)
    .join('');
