import type { TObject, TSchema } from 'typebox';
import { type Context, type Route, type RouteOptions, route } from '../../../http/http.route.ts';
import { NPM } from './npm.credentials.ts';
import { withNpmErrors } from './npm.errors.ts';

/** A route whose errors npm reads. */
export function npmRoute<
  A extends object,
  P extends TObject = TObject<Record<never, TSchema>>,
  I extends TObject = TObject<Record<never, TSchema>>,
>(options: RouteOptions<P, I, A> & { handler: (context: Context<P, I, A>) => unknown }): Route {
  const { handler } = options;
  return route<A, P, I>({
    ...options,
    tag: 'npm packages',
    credentials: NPM,
    handler: (context) => withNpmErrors(() => handler(context)),
  });
}
