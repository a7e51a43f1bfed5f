import type { Readable } from 'node:stream';
import { originOf, rateLimitKeyOf } from '../access/caller.ts';
import { ApiError, refused } from '../core/core.errors.ts';
import { inScope } from '../core/request-scope.ts';
import { reserveStreamMemory } from '../core/stream-memory.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import {
  advertise,
  receivePack,
  type Service,
  type TransportOptions,
  type TransportSession,
  uploadArchive,
  uploadPack,
} from '../git/transport/index.ts';
import { repositoryOf } from '../repositories/change-refs.ts';
import { READ_ONLY } from '../repositories/read-only.ts';
import { recoverOrphanedIntents } from '../repositories/recover-intents.ts';
import { receiverOf } from './git-server.push.ts';
import type { GitTarget } from './git-target.ts';

const MEGABYTE = 1024 * 1024;
/** Maximum number of refs in one push. */
const MAX_REFS = 20_000;

/** Connection of a git client and its capabilities. */
export interface Client extends Pick<TransportOptions, 'protocol' | 'signal' | 'stateless'> {
  /** Client address, used to account for the resources of anonymous clients. */
  address: string;
  /** Correlation id in the log. */
  correlationId: string;
  /** The chain of webhook events that the client claims to be triggered by. */
  hookChain?: string | undefined;
  /** Announced size of the request in bytes. Over HTTP, git does not announce it for large packs. */
  inputBytes?: number | undefined;
}

/** Refusal for an invalid request. */
export const NO_REQUEST = 'The request is empty or is not a valid git request.';
/** Messages of git for unreadable input. */
const NOT_GIT =
  /hung up unexpectedly|protocol error|bad line length|^fatal: (?:expected|unexpected|unknown|invalid|no command)/m;

/** Maps git's failure to read its input to a client error. */
function refuseInput(error: unknown): never {
  const unread = error instanceof GitError && error.code === 'failed' && NOT_GIT.test(error.message);
  if (unread || (error instanceof GitError && error.code === 'invalid')) throw new ApiError(400, NO_REQUEST);
  throw error;
}

function logFailure(deps: Deps, target: GitTarget, { correlationId }: Client, { done }: TransportSession): void {
  void done.then(({ code, stderr, killed, failure }) => {
    if (code === 0 && failure === undefined) return;
    // A disconnected client is not an error.
    deps.log.log(killed === 'abort' ? 'info' : 'warn', 'git failed', {
      correlation_id: correlationId,
      repository: `${target.holder.type} ${target.holder.id}`,
      code,
      killed,
      error: failure === undefined ? stderr.slice(0, 500) : String(failure),
    });
  });
}

/** Starts git within the client's share of limited resources. */
async function start(
  deps: Deps,
  target: GitTarget,
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
  const caller = `${deps.start.prefix}${rateLimitKeyOf(target.caller, address)}`;
  const session = await inScope({ caller, origin: originOf(target.caller, address), hookChain }, () => begin(options));
  logFailure(deps, target, client, session);
  return session;
}

/**
 * Runs before refs are advertised: recovers interrupted pushes, so that a client that retries does not send moved refs
 * again and gets its pipeline.
 * @throws ApiError 403 while the repository is read-only
 */
async function beforePush(deps: Deps, { holder, readOnly }: GitTarget): Promise<void> {
  if (readOnly) throw refused(READ_ONLY, 403);
  // A process that has just started and already crashed is found by the next heartbeat.
  if (deps.processes.mayHavePeers) await recoverOrphanedIntents(deps, holder);
}

/**
 * Advertises git's capabilities for the authorized repository, and all refs before protocol version 2.
 * @throws ApiError 403 for a push while it is read-only; GitError `failed`, `busy`, `timeout`, `aborted`
 */
export async function announce(
  deps: Deps,
  target: GitTarget,
  service: Service,
  client: Client,
): Promise<TransportSession> {
  if (service === 'receive-pack') await beforePush(deps, target);
  return start(deps, target, client, (options) => advertise(repositoryOf(deps, target.holder), service, options));
}

/**
 * Serves `git archive --remote` for an authorized reader.
 * @param input request stream of the client
 * @param revalidate checks the rights again after the wait for memory
 * @throws ApiError 400 for an invalid request, 429 and 503 if too many requests wait for memory; GitError `failed`,
 *   `busy`, `timeout`, `aborted`
 */
export function serveArchive(
  deps: Deps,
  target: GitTarget,
  input: Readable,
  client: Client,
  revalidate: () => Promise<unknown>,
): Promise<TransportSession> {
  const room = async (bytes: number) => {
    const leave = await reserveStreamMemory(deps, rateLimitKeyOf(target.caller, client.address), bytes, client.signal);
    try {
      await revalidate();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  };
  const bounds = { maxBytes: deps.config.limits.archive, room };
  return start(deps, target, client, (options) =>
    uploadArchive(repositoryOf(deps, target.holder), input, bounds, options).catch((error: unknown) => {
      if (error instanceof GitError && error.code === 'invalid') throw new ApiError(400, error.message);
      if (error instanceof GitError && error.code === 'not_found')
        throw new ApiError(404, 'The folder does not exist.');
      throw error;
    }),
  );
}

/**
 * Serves a clone or fetch (`upload-pack`) or a push (`receive-pack`) for an authorized client. A push is checked and
 * applied, then its options are.
 * @param input request stream: one request over HTTP, else the whole session
 * @throws ApiError 400 for input that git cannot read; GitError `failed`, `busy`, `timeout`, `aborted`
 */
export async function serve(
  deps: Deps,
  target: GitTarget,
  service: Service,
  input: Readable,
  client: Client,
): Promise<TransportSession> {
  // Over HTTP this runs when the refs are advertised.
  if (client.stateless === false && service === 'receive-pack') await beforePush(deps, target);
  const repo = repositoryOf(deps, target.holder);
  const { receive_max_input_size: megabytes } = deps.settings.now;
  const serverMax = (megabytes ?? Number.POSITIVE_INFINITY) * MEGABYTE;
  const maxInputBytes = Math.min(deps.config.limits.push, serverMax, target.maxPushBytes);
  return start(deps, target, client, (options) =>
    (service === 'upload-pack'
      ? uploadPack(repo, input, options)
      : receivePack(repo, input, {
          ...options,
          maxInputBytes,
          maxRefs: MAX_REFS,
          inputBytes: client.inputBytes,
          receive: receiverOf(deps, target),
        })
    ).catch(refuseInput),
  );
}
