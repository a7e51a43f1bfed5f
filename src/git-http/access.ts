import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { callerOfBasic } from '../access/git-credentials.ts';
import { findMoved, findProject } from '../access/lookup.ts';
import { type ProjectPermissions, projectPermissions } from '../access/permissions.ts';
import { callerOfToken } from '../access/token-caller.ts';
import { ApiError, forbidden, notFound } from '../core/errors.ts';
import type { Namespace } from '../db/tables/namespaces.ts';
import type { Project } from '../db/tables/projects.ts';
import type { Deps } from '../deps.ts';

export interface GitAccess {
  caller: Caller;
  project: Project;
  namespace: Namespace;
  permissions: ProjectPermissions;
}

const challenge = () =>
  new ApiError(
    401,
    'HTTP Basic: Access denied. Give a token as the password (any user name), or a user name and password.',
    {},
    { 'WWW-Authenticate': 'Basic realm="Stithy"' },
  );

/** Scopes that do for reading and for writing a repository. */
const READ_SCOPES = ['api', 'read_api', 'read_repository', 'write_repository'];
const WRITE_SCOPES = ['api', 'write_repository'];

/** Who sent a git request: by Basic or Bearer; anonymous without either. @throws ApiError 401 */
export async function gitCaller(deps: Deps, request: FastifyRequest): Promise<Caller> {
  const header = request.headers.authorization ?? '';
  const bearer = /^Bearer +(\S+)$/i.exec(header);
  const basic = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(header);
  try {
    if (bearer !== null) return await callerOfToken(deps, bearer[1]!, request.ip);
    if (basic === null) return ANONYMOUS;
    const text = Buffer.from(basic[1]!, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon === -1) throw challenge();
    const [username, password] = [text.slice(0, colon), text.slice(colon + 1)];
    if (username === '' && password === '') return ANONYMOUS;
    return await callerOfBasic(deps, username, password, request.ip);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw challenge();
    throw error;
  }
}

/**
 * Lets a git request to a repository or refuses it. A repository that the caller may not see is asked credentials for
 * (anonymous) or is not there (404).
 */
export async function admitGit(
  deps: Deps,
  request: FastifyRequest,
  path: string,
  wants: 'read' | 'write',
): Promise<GitAccess> {
  const caller = await gitCaller(deps, request);
  const stranger = caller.credential.kind === 'none';
  if (!path.includes('/')) throw stranger ? challenge() : notFound();
  const found = (await findProject(deps, path)) ?? (await movedProject(deps, path));
  if (found === undefined) throw stranger ? challenge() : notFound('Project');
  const permissions = await projectPermissions(deps, caller, found.project, found.namespace);
  if (!permissions.can('read_code')) {
    if (stranger) throw challenge();
    throw permissions.can('read_project') && permissions.level > 0
      ? forbidden('You are not allowed to download code from this project.')
      : notFound('Project');
  }
  const enough = wants === 'read' ? READ_SCOPES : WRITE_SCOPES;
  if (caller.scopes !== null && !stranger && !caller.scopes.some((scope) => enough.includes(scope))) {
    throw forbidden(`The token lacks the scope ${wants === 'read' ? 'read_repository' : 'write_repository'}.`);
  }
  if (wants === 'write') {
    if (stranger) throw challenge();
    if (found.project.archived === 1) throw forbidden('The project is archived: its repository can only be read.');
    if (!permissions.can('push_code')) throw forbidden('You are not allowed to push code to this project.');
  }
  return { caller, ...found, permissions };
}

/** Git clients keep old addresses for years: a project that moved is served from its old path too. */
async function movedProject(deps: Deps, path: string) {
  const newPath = await findMoved(deps, path, 'project');
  return newPath === undefined ? undefined : findProject(deps, newPath);
}
