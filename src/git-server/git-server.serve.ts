import type { Readable } from 'node:stream';
import { originOf, rateLimitKeyOf } from '../access/caller.ts';
import { ApiError, refused } from '../core/core.errors.ts';
import { inScope } from '../core/request-scope.ts';
import { reserveStreamMemory } from '../core/stream-memory.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/git.errors.ts';
import { advertise } from '../git/transport/advertise.ts';
import { receivePack } from '../git/transport/receive-pack.ts';
import type { Service } from '../git/transport/service.ts';
import type { TransportOptions, TransportSession } from '../git/transport/session.ts';
import { uploadArchive } from '../git/transport/upload-archive.ts';
import { uploadPack } from '../git/transport/upload-pack.ts';
import { repositoryOf } from '../repositories/change-refs.ts';
import { READ_ONLY } from '../repositories/read-only.ts';
import { recoverOrphanedIntents } from '../repositories/recover-intents.ts';
import type { GitAccess } from './git-server.access.ts';
import { MAX_REFS, pushHandlers } from './git-server.push.ts';

const MEGABYTE = 1024 * 1024;

/** How a client came, and what it can do. */
export interface Client extends Pick<TransportOptions, 'protocol' | 'signal' | 'stateless'> {
  /** Address; what an anonymous client takes up counts against it. */
  address: string;
  /** Under which the log has what it did. */
  correlationId: string;
  /** The chain of webhook events that it says it was led by. */
  hookChain?: string | undefined;
  /** Bytes that it sends, where it has told: over HTTP, git does not of large packs. */
  inputBytes?: number | undefined;
}

/** What is said of a request that is none. */
export const NO_REQUEST = 'The request is empty, or not one that git sends.';
/** What git says when it cannot read what it was sent. */
const NOT_GIT =
  /hung up unexpectedly|protocol error|bad line length|^fatal: (?:expected|unexpected|unknown|invalid|no command)/m;

/** A request that git has refused without an answer of its own is the client's fault where git says so. */
function refuseInput(error: unknown): never {
  const unread = error instanceof GitError && error.code === 'failed' && NOT_GIT.test(error.message);
  if (unread || (error instanceof GitError && error.code === 'invalid')) throw new ApiError(400, NO_REQUEST);
  throw error;
}

function logFailure(deps: Deps, access: GitAccess, { correlationId }: Client, { done }: TransportSession): void {
  void done.then(({ code, stderr, killed, failure }) => {
    if (code === 0 && failure === undefined) return;
    // A client that goes away is no fault.
    deps.log.log(killed === 'abort' ? 'info' : 'warn', 'git ended with a failure', {
      correlation_id: correlationId,
      repository: `${access.holder.type} ${access.holder.id}`,
      code,
      killed,
      error: failure === undefined ? stderr.slice(0, 500) : String(failure),
    });
  });
}

/** Starts git for a client, in the client's share of what is scarce. */
async function start(
  deps: Deps,
  access: GitAccess,
  client: Client,
  begin: (options: TransportOptions) => Promise<TransportSession>,
): Promise<TransportSession> {
  const { protocol, signal, stateless, address, hookChain } = client;
  const options: TransportOptions = {
    protocol,
    timeoutMs: deps.config.transfers.totalMs,
    ...(signal === undefined ? {} : { signal }),
    ...(stateless === undefined ? {} : { stateless }),
  };
  const session = await inScope(
    { caller: rateLimitKeyOf(access.caller, address), origin: originOf(access.caller, address), hookChain },
    () => begin(options),
  );
  logFailure(deps, access, client, session);
  return session;
}

/**
 * Before a client is told the refs: one whose push was interrupted sends nothing again of what has moved, and waits for its pipeline.
 * @throws ApiError 403 while the repository takes no pushes
 */
async function beforePush(deps: Deps, { holder, readOnly }: GitAccess): Promise<void> {
  if (readOnly) throw refused(READ_ONLY, 403);
  // One that has entered just now, and is dead already, is found by the next heartbeat.
  if (deps.processes.mayHavePeers) await recoverOrphanedIntents(deps, holder);
}

/**
 * Tells a client what git can do with the repository that it was let to, and, before version 2, every ref.
 * @throws ApiError 403 for a push while it takes none; GitError `failed`, `busy`, `timeout`, `aborted`
 */
export async function announce(
  deps: Deps,
  access: GitAccess,
  service: Service,
  client: Client,
): Promise<TransportSession> {
  if (service === 'receive-pack') await beforePush(deps, access);
  return start(deps, access, client, (options) => advertise(repositoryOf(deps, access.holder), service, options));
}

/**
 * Serves `git archive --remote` to a client that was let to the repository to read it.
 * @param input what the client sends
 * @param revalidate looks at the rights once more after the wait for memory
 * @throws ApiError 400 that says what is wrong with the request, 429 and 503 while too many wait for memory; GitError `failed`, `busy`, `timeout`, `aborted`
 */
export function serveArchive(
  deps: Deps,
  access: GitAccess,
  input: Readable,
  client: Client,
  revalidate: () => Promise<unknown>,
): Promise<TransportSession> {
  const room = async (bytes: number) => {
    const leave = await reserveStreamMemory(deps, rateLimitKeyOf(access.caller, client.address), bytes, client.signal);
    try {
      await revalidate();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  };
  const bounds = { maxBytes: deps.config.limits.archive, room };
  return start(deps, access, client, (options) =>
    uploadArchive(repositoryOf(deps, access.holder), input, bounds, options).catch((error: unknown) => {
      if (error instanceof GitError && error.code === 'invalid') throw new ApiError(400, error.message);
      if (error instanceof GitError && error.code === 'not_found') throw new ApiError(404, 'There is no such folder.');
      throw error;
    }),
  );
}

/**
 * Serves a clone or fetch (`upload-pack`) or a push (`receive-pack`) to a client that was let to the repository for it.
 * A push is checked, entered and followed by what its options ask for.
 * @param input what the client sends: one request over HTTP, else all it ever says
 * @throws ApiError 400 for what git cannot read; GitError `failed`, `busy`, `timeout`, `aborted`
 */
export async function serve(
  deps: Deps,
  access: GitAccess,
  service: Service,
  input: Readable,
  client: Client,
): Promise<TransportSession> {
  // Over HTTP it was told when it asked for the refs.
  if (client.stateless === false && service === 'receive-pack') await beforePush(deps, access);
  const repo = repositoryOf(deps, access.holder);
  const { receive_max_input_size: megabytes, snippet_size_limit: snippet } = deps.settings.now;
  const push = Math.min(deps.config.limits.push, (megabytes ?? Number.POSITIVE_INFINITY) * MEGABYTE);
  const maxInputBytes = access.kind === 'snippet' ? Math.min(push, snippet) : push;
  return start(deps, access, client, (options) =>
    (service === 'upload-pack'
      ? uploadPack(repo, input, options)
      : receivePack(repo, input, {
          ...options,
          maxInputBytes,
          maxRefs: MAX_REFS,
          inputBytes: client.inputBytes,
          ...pushHandlers(deps, access),
        })
    ).catch(refuseInput),
  );
}
