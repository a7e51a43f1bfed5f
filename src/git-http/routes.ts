import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shareOf } from '../access/caller.ts';
import { ApiError, refused } from '../core/errors.ts';
import { inScope } from '../core/request-scope.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/errors.ts';
import { advertise } from '../git/transport/advertise.ts';
import { receivePack } from '../git/transport/receive-pack.ts';
import type { Service } from '../git/transport/service.ts';
import type { TransportSession } from '../git/transport/session.ts';
import { uploadPack } from '../git/transport/upload-pack.ts';
import { sendTextError } from '../http/errors.ts';
import { repositoryOf } from '../repositories/change-refs.ts';
import { admitGit, type GitAccess } from './access.ts';
import { GIT_PREFIX } from './paths.ts';
import { pushHandlers } from './push.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Repository and caller of a git request, once it is admitted. */
    git: GitAccess | null;
  }
}

interface RepositoryParams {
  repository: string;
}

/** The bytes a client sends, unpacked; what they may grow to is bounded where they are read. */
function inputOf(request: FastifyRequest): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const body = request.body as Readable | undefined;
  if (body === undefined || body === null) throw new ApiError(400, NO_REQUEST);
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new ApiError(415, '415 Unsupported Media Type');
  const gunzip = createGunzip();
  body.on('error', (error) => gunzip.destroy(error));
  return body.pipe(gunzip);
}

const NO_DUMB_PROTOCOL = 'Only the smart protocol is served here: use a newer git.';
const NO_REQUEST = 'The request is empty, or not one that git sends.';
/** What git says when it cannot read what it was sent. */
const NOT_GIT =
  /hung up unexpectedly|protocol error|bad line length|^fatal: (?:expected|unexpected|unknown|invalid|no command)/m;

/** A request that git has refused without an answer of its own is the client's fault where git says so. */
function refuseInput(error: unknown): never {
  const unpacks = (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true;
  const unread = error instanceof GitError && error.code === 'failed' && NOT_GIT.test(error.message);
  if (unpacks || unread || (error instanceof GitError && error.code === 'invalid')) throw new ApiError(400, NO_REQUEST);
  throw error;
}

function send(reply: FastifyReply, session: TransportSession, contentType: string): FastifyReply {
  reply
    .type(contentType)
    .header('Cache-Control', 'no-cache, max-age=0, must-revalidate')
    .header('Expires', 'Fri, 01 Jan 1980 00:00:00 GMT');
  return reply.send(session.output);
}

/** Ends git when the client goes away before the answer is complete. */
function signalOf(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort();
  });
  return abort.signal;
}

/** Git over smart HTTP: `/<namespace>/<project>.git` and `.../snippets/<id>.git` (protocol 0 to 2). */
export function registerGitRoutes(app: FastifyInstance, deps: Deps): void {
  app.decorateRequest('git', null);
  const admit = (wants: (request: FastifyRequest) => 'read' | 'write') => async (request: FastifyRequest) => {
    const { repository } = request.params as RepositoryParams;
    // A push begins by asking for the refs, and there makes the project that it goes to.
    const creates = request.method === 'GET';
    request.git = await admitGit(deps, request, repository, wants(request), {
      creates: creates && wants(request) === 'write',
    });
    request.caller = request.git.caller;
  };
  const options = (request: FastifyRequest, reply: FastifyReply) => ({
    protocol: request.headers['git-protocol'] as string | undefined,
    signal: signalOf(reply),
    timeoutMs: deps.config.transfers.totalMs,
  });
  const note = (request: FastifyRequest, { done }: TransportSession) => {
    void done.then(({ code, stderr, killed, failure }) => {
      if (code === 0 && failure === undefined) return;
      // A client that goes away is no fault.
      deps.log.log(killed === 'abort' ? 'info' : 'warn', 'git ended with a failure', {
        correlation_id: request.id,
        repository: request.git === null ? undefined : `${request.git.holder.type} ${request.git.holder.id}`,
        code,
        killed,
        error: failure === undefined ? stderr.slice(0, 500) : String(failure),
      });
    });
  };
  const serviceOf = (request: FastifyRequest): Service | undefined => {
    const { service } = request.query as { service?: unknown };
    return service === 'git-upload-pack' ? 'upload-pack' : service === 'git-receive-pack' ? 'receive-pack' : undefined;
  };

  app.register(async (scope) => {
    scope.addHook('preHandler', (request, _reply, done) =>
      inScope({ caller: shareOf(request.git!.caller, request.ip) }, done),
    );
    scope.setErrorHandler((error, request, reply) => sendTextError(deps.log, error, request, reply));
    scope.get(
      `${GIT_PREFIX}/:repository/info/refs`,
      {
        onRequest: admit((request) => (serviceOf(request) === 'receive-pack' ? 'write' : 'read')),
        exposeHeadRoute: false,
      },
      async (request, reply) => {
        const service = serviceOf(request);
        // Without a service this is the old, dumb protocol, which is not served.
        if (service === undefined) throw refused(NO_DUMB_PROTOCOL, 404);
        const session = await advertise(repositoryOf(deps, request.git!.holder), service, options(request, reply));
        note(request, session);
        return send(reply, session, `application/x-git-${service}-advertisement`);
      },
    );
    const types = ['application/x-git-upload-pack-request', 'application/x-git-receive-pack-request'];
    scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload));

    scope.post(
      `${GIT_PREFIX}/:repository/git-upload-pack`,
      { onRequest: admit(() => 'read') },
      async (request, reply) => {
        const repo = repositoryOf(deps, request.git!.holder);
        const session = await uploadPack(repo, inputOf(request), options(request, reply)).catch(refuseInput);
        note(request, session);
        return send(reply, session, 'application/x-git-upload-pack-result');
      },
    );

    scope.post(
      `${GIT_PREFIX}/:repository/git-receive-pack`,
      { onRequest: admit(() => 'write') },
      async (request, reply) => {
        const access = request.git!;
        const { push, snippet } = deps.config.limits;
        const session = await receivePack(repositoryOf(deps, access.holder), inputOf(request), {
          ...options(request, reply),
          maxInputBytes: access.kind === 'project' ? push : Math.min(push, snippet),
          ...pushHandlers(deps, access),
        }).catch(refuseInput);
        note(request, session);
        return send(reply, session, 'application/x-git-receive-pack-result');
      },
    );
  });
}
