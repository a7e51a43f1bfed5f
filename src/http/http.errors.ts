import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../core/core.errors.ts';
import { type EnvironmentFault, environmentFaultOf } from '../core/environment-fault.ts';
import type { Logger } from '../core/logger.ts';
import { isResourceExhaustion } from '../core/resource-exhaustion.ts';
import { withSourceLines } from '../core/stack-traces.ts';
import { GitError } from '../git/common/index.ts';
import { ParamsError } from './params/rack.ts';
import { Throttled } from './rate-limit.ts';
import { routeMatchOf } from './route-match.ts';

/** The resource has a different path now; answered with 301. */
export class Moved extends Error {
  override name = 'Moved';
  readonly location: string;

  constructor(location: string) {
    super('moved');
    this.location = location;
  }
}

const TEXTS: Record<number, string> = {
  400: '400 Bad request',
  404: '404 Not Found',
  405: '405 Not Allowed',
  408: '408 Request Timeout',
  413: '413 Request Entity Too Large',
  414: '414 URI Too Long',
  415: '415 Unsupported Media Type',
  431: '431 Request Header Fields Too Large',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** Paths of the projects in which access checks failed. */
const CHECKED = new WeakMap<Error, string>();

/**
 * Runs part of an access check; its errors name the project, which the request does not know yet. @param path path of
 * the project
 */
export async function checkIn<T>(path: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Error) CHECKED.set(error, path);
    throw error;
  }
}

/** Path of the request's project, if its access check found one. */
function projectOf(request: FastifyRequest): string | undefined {
  const { project } = (request.authorization?.scope ?? {}) as { project?: { full_path: string } };
  return project?.full_path;
}

function damaged(path: string | undefined, cause: GitError): ApiError {
  const what = path === undefined ? 'The repository' : `The repository of ${path}`;
  const error = new ApiError(500, `${what} is damaged: an administrator can run stithy doctor.`);
  error.cause = cause;
  return error;
}

function fromGit(error: GitError, path: string | undefined): ApiError | undefined {
  if (error.code === 'busy' || error.code === 'locked') {
    return new ApiError(503, '503 Service Unavailable - the server is busy; try again', {}, { 'Retry-After': '1' });
  }
  if (error.code === 'caller_busy') {
    const text = 'You have too many requests under way. Wait for some to end, then try again.';
    return new ApiError(429, text, {}, { 'Retry-After': '1' });
  }
  if (error.code === 'timeout' || error.code === 'output_too_large') {
    return new ApiError(503, '503 Service Unavailable - this request needs more work than is allowed; narrow it');
  }
  return error.damage ? damaged(path, error) : undefined;
}

/** Refusals for faults of the file system, a database or git. */
const FAULTS: Readonly<Record<EnvironmentFault, (path: string | undefined, cause: unknown) => ApiError>> = {
  disk_full: () =>
    new ApiError(
      507,
      '507 Insufficient Storage - the disk of the server is full; an administrator has to free some space',
    ),
  unavailable: () =>
    new ApiError(
      503,
      '503 Service Unavailable - the database is temporarily unavailable; try again',
      {},
      { 'Retry-After': '2' },
    ),
  denied: (path, cause) => {
    const what = path === undefined ? 'its files' : `files of ${path}`;
    const error = new ApiError(500, `The server cannot read or write ${what}: an administrator can run stithy doctor.`);
    error.cause = cause;
    return error;
  },
  no_git: () =>
    new ApiError(
      503,
      '503 Service Unavailable - git cannot be found on the server; an administrator can run stithy doctor',
    ),
};

/**
 * Converts an error of a handler into a response. Details of unexpected errors never reach the client.
 * @param path path of the affected project, if it is known
 */
function toApiError(error: unknown, path: string | undefined): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof ParamsError) return new ApiError(400, error.message, { error: error.message });
  const fault = environmentFaultOf(error);
  if (fault !== null) return FAULTS[fault](path, error);
  if (error instanceof GitError) return fromGit(error, path);
  if (isResourceExhaustion(error)) {
    return new ApiError(503, '503 Service Unavailable - the server is busy; try again', {}, { 'Retry-After': '1' });
  }
  const status = (error as Partial<FastifyError>).statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError(status, TEXTS[status] ?? `${status} Error`);
  return undefined;
}

/** Answers a failed request. */
export function sendError(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof Moved) {
    reply.code(301).header('Location', error.location).type('text/plain; charset=utf-8');
    reply.send(`This resource has been moved permanently to ${error.location}`);
    return;
  }
  if (error instanceof Throttled) {
    reply.code(429).type('text/plain; charset=utf-8').send(`${error.message}\n`);
    return;
  }
  // Nobody waits for the answer any more.
  if (reply.raw.destroyed && error instanceof GitError && error.code === 'aborted') return;
  const path = projectOf(request) ?? (error instanceof Error ? CHECKED.get(error) : undefined);
  const response = describeError(log, error, request, path);
  reply.code(response.status).headers(response.headers);
  sendErrorBody(reply, { message: response.message, ...response.body });
}

/**
 * Like `sendError`, in plain text, which is the only type that git shows to its user.
 * @param path path of the project with the repository, if it is known
 */
export function sendTextError(
  log: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string | undefined,
): void {
  if (error instanceof Throttled) {
    reply.code(429).type('text/plain; charset=utf-8').send(`${error.message}\n`);
    return;
  }
  const { status, headers, message } = describeError(log, error, request, path);
  reply.code(status).headers(headers).type('text/plain; charset=utf-8').header('Cache-Control', 'no-cache');
  reply.serializer(String).send(`${message}\n`);
}

/** The response to an error; unexpected errors are logged. */
function describeError(log: Logger, error: unknown, request: FastifyRequest, path: string | undefined): ApiError {
  const response = toApiError(error, path);
  if (response !== undefined && response.status < 500) return response;
  const reason = error instanceof ApiError ? (error.cause ?? error) : error;
  const { message, stack } = reason instanceof Error ? reason : { message: String(reason), stack: undefined };
  // A disconnected client is not a fault of the server.
  const gone = request.raw.socket.destroyed === true;
  log.log(gone ? 'info' : 'error', message, {
    correlation_id: request.id,
    route: routeMatchOf(request)?.url,
    stack: stack === undefined ? stack : withSourceLines(stack),
  });
  return response ?? new ApiError(500, TEXTS[500]!);
}

/** Sends a JSON error body with the status of the reply, in the media type of the route. */
export function sendErrorBody(reply: FastifyReply, body: Record<string, unknown>): void {
  reply
    .header('Content-Type', routeMatchOf(reply.request)?.config?.mediaType ?? 'application/json')
    .header('Cache-Control', 'no-cache');
  reply.serializer(String).send(JSON.stringify(body));
}
