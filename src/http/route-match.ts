import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';

/** Known facts of the route of a request. */
export interface RouteMatch {
  /** Its template, for log and metrics; undefined if there is no route. */
  readonly url?: string | undefined;
  /** Maximum size of a body. */
  readonly bodyLimit: number;
  readonly config: FastifyContextConfig;
}

/** A route that is ready to serve requests. */
export interface PreparedRoute extends RouteMatch {
  readonly method: string;
  /** Whether it parses bodies. */
  readonly parsesBody: boolean;
  /** Authenticates and authorizes a request before the body is read. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The route; null before the first hook: see `routing.ts`. */
    routed: RouteMatch | null;
  }
}

/** The route of a request. Replaces `request.routeOptions`, which does not know the routes of the table. */
export const routeMatchOf = (request: FastifyRequest): RouteMatch => request.routed ?? request.routeOptions;

/** Match of requests without a route. */
export const NO_ROUTE: RouteMatch = { url: undefined, bodyLimit: 0, config: {} };
