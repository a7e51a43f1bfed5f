import type { PageRoute } from './page.ts';

const compiled = new WeakMap<PageRoute, RegExp>();

/** `issues/:iid` and `tree/*rest` as a regular expression with named groups. */
function patternOf(route: PageRoute): RegExp {
  const known = compiled.get(route);
  if (known !== undefined) return known;
  const source = route.path
    .split('/')
    .map((part) => part.replace(/^:(\w+)$/, '(?<$1>[^/]+)').replace(/^\*(\w+)$/, '(?<$1>.+)'))
    .join('/');
  const pattern = new RegExp(`^${source}/?$`, 's');
  compiled.set(route, pattern);
  return pattern;
}

/** The first route of a path, with the parts of the path by name; null if there is none. */
export function matchPage(
  routes: readonly PageRoute[],
  method: string,
  path: string,
): { route: PageRoute; params: Record<string, string> } | null {
  for (const route of routes) {
    if (route.method !== method) continue;
    const match = patternOf(route).exec(path);
    if (match !== null) return { route, params: { ...match.groups } };
  }
  return null;
}
