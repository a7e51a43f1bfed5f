import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, refused } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import type { Service, TransportSession } from '../../git/transport/index.ts';
import { hookChainOf } from '../../http/context.ts';
import { sendTextError } from '../../http/http.errors.ts';
import type { HttpServices } from '../../http/http.services.ts';
import { authorizeGit } from '../git-server.access.ts';
import { announce, type Client, NO_REQUEST, serve } from '../git-server.serve.ts';
import type { GitTarget } from '../git-target.ts';
import { gitCaller, withGitChallenge } from './git-http.credentials.ts';
import { GIT_PREFIX } from './git-http.paths.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Repository and caller of an authorized git request. */
    git: GitTarget | null;
  }
}

/** Decompressed request body. Its readers bound the size. */
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

const projectPathOf = ({ git }: FastifyRequest): string | undefined => git?.inProject?.project.full_path;

const NO_DUMB_PROTOCOL = 'Only the smart HTTP protocol is supported. Use a newer version of git.';

/** A body that cannot be decompressed is a client error. */
function refusePacked(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true) throw new ApiError(400, NO_REQUEST);
  throw error;
}

function send(reply: FastifyReply, session: TransportSession, contentType: string): FastifyReply {
  reply
    .type(contentType)
    .header('Cache-Control', 'no-cache, max-age=0, must-revalidate')
    .header('Expires', 'Fri, 01 Jan 1980 00:00:00 GMT');
  return reply.send(session.output);
}

/** Signal that aborts git if the client disconnects before the response is complete. */
function signalOf(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort();
  });
  return abort.signal;
}

const clientOf = (request: FastifyRequest, reply: FastifyReply): Client => ({
  address: request.ip,
  correlationId: request.id,
  hookChain: hookChainOf(request),
  protocol: request.headers['git-protocol'] as string | undefined,
  signal: signalOf(reply),
  inputBytes: bytesOf(request),
});

function bytesOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

const SERVICES: Readonly<Record<string, Service>> = {
  'git-upload-pack': 'upload-pack',
  'git-receive-pack': 'receive-pack',
};

/** The requested service; undefined for the dumb protocol, which is not supported. */
function serviceOf(request: FastifyRequest): Service | undefined {
  const { service } = request.query as { service?: unknown };
  return typeof service === 'string' && Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
}

/**
 * Registers git over smart HTTP (protocol versions 0 to 2): `/<namespace>/<project>.git` and `.../snippets/<id>.git`.
 */
export function registerGitRoutes(app: FastifyInstance, deps: Deps, services: HttpServices): void {
  app.decorateRequest('git', null);
  const admit = async (request: FastifyRequest, reply: FastifyReply, service: Service | undefined, creates = false) => {
    const { repository } = request.params as { repository: string };
    if (request.headers.authorization === undefined) services.throttleAddress(request, reply, ['git_http']);
    const caller = await gitCaller(deps, request).catch((error: unknown) => {
      services.throttleFailure(request, reply, ['git_http']);
      throw error;
    });
    services.throttleUser(caller, request, reply, ['git_http']);
    const wants = service === 'receive-pack' ? 'write' : 'read';
    request.git = await withGitChallenge(() => authorizeGit(deps, caller, repository, wants, { creates }));
    request.caller = request.git.caller;
  };

  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) =>
      sendTextError(deps.log, error, request, reply, projectPathOf(request)),
    );
    scope.get(
      `${GIT_PREFIX}/:repository/info/refs`,
      {
        // A push starts with the ref advertisement, which also creates a missing project.
        onRequest: (request, reply) => admit(request, reply, serviceOf(request), serviceOf(request) === 'receive-pack'),
        exposeHeadRoute: false,
      },
      async (request, reply) => {
        const service = serviceOf(request);
        if (service === undefined) throw refused(NO_DUMB_PROTOCOL, 404);
        const session = await announce(deps, request.git!, service, clientOf(request, reply));
        return send(reply, session, `application/x-git-${service}-advertisement`);
      },
    );
    for (const service of Object.values(SERVICES)) {
      const type = `application/x-git-${service}`;
      scope.addContentTypeParser(`${type}-request`, (_request, payload, done) => done(null, payload));
      scope.post(
        `${GIT_PREFIX}/:repository/git-${service}`,
        { onRequest: (request, reply) => admit(request, reply, service) },
        async (request, reply) => {
          const client = clientOf(request, reply);
          const session = await serve(deps, request.git!, service, inputOf(request), client).catch(refusePacked);
          return send(reply, session, `${type}-result`);
        },
      );
    }
  });
}
