import type { FastifyReply } from 'fastify';
import { isFrozen } from '../../access/frozen.ts';
import { forbidden } from '../../core/errors.ts';
import type { ProjectAccess } from '../access.ts';

export const LFS_TYPE = 'application/vnd.git-lfs+json';

/** Answers with a body of the LFS media type. */
export function sendLfs(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).header('Content-Type', LFS_TYPE).serializer(String).send(JSON.stringify(body));
}

/** Lets in who may push to the repository. @throws ApiError 403 */
export function requirePush({ permissions, caller, project }: ProjectAccess): void {
  const { scopes } = caller;
  if (scopes !== null && !scopes.includes('api') && !scopes.includes('write_repository') && caller.user !== null) {
    throw forbidden('The token lacks the scope write_repository.');
  }
  if (caller.user === null || !permissions.can('push_code') || isFrozen(project)) {
    throw forbidden('You are not allowed to push code to this project.');
  }
}
