import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';

/** What is known of the route that a request goes to. */
export interface RouteMatch {
  /** Its template, for log and metrics; undefined where there is none. */
  readonly url?: string | undefined;
  /** Bytes that a body may have. */
  readonly bodyLimit: number;
  readonly config: FastifyContextConfig;
}

/** A declared route, ready to be served. */
export interface PreparedRoute extends RouteMatch {
  /** Whether its requests have a body that is parsed. */
  readonly parsesBody: boolean;
  /** Looks who calls and what they may do, before the body is read. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it goes, when Fastify does not know that itself: see `routing.ts`. */
    routed: RouteMatch | null;
  }
}

/** Of the route that a request goes to. In place of `request.routeOptions`, which knows none of the routes of the table. */
export const routeMatchOf = (request: FastifyRequest): RouteMatch => request.routed ?? request.routeOptions;
