import type { InjectOptions } from 'light-my-request';
import type { Route } from '../../src/http/http.route.ts';
import type { Scene } from './scene.ts';
import type { Things } from './things.ts';

/** What an address is filled with. */
export interface Filling {
  scene: Scene;
  things: Things;
  /** What stands for a parameter instead; undefined where scene and things decide. */
  instead?: ((name: string, there: string | number) => string | number | undefined) | undefined;
}

/** The address of a route on the server, filled with what there is. */
export function addressOf(
  { options: { path, root } }: Pick<Route, 'options'>,
  { scene, things, instead }: Filling,
): string {
  const fill = (text: string) =>
    text.replace(/[:*](\w+)/g, (_all, name: string) => {
      const there = things(path, name) ?? scene.value(path, name);
      return encodeURIComponent(instead?.(name, there) ?? there);
    });
  const place = scene.project.full_path;
  if (path.startsWith('/-/git/:repository')) return `/${place}.git${fill(path.slice('/-/git/:repository'.length))}`;
  if (path.startsWith('/:id/-/')) return `/${place}${fill(path.slice('/:id'.length))}`;
  return `${root ? '' : '/api/v4'}${fill(path)}`;
}

/** Credentials of git and of registries, with a token. */
export const basic = (token: string): string => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;

/**
 * What asks a route and changes nothing: one that writes is sent a body that is no JSON.
 * @param token null for anonymous callers
 */
export function requestOf(
  { options: { method, credentials } }: Route,
  url: string,
  token: string | null,
): InjectOptions {
  const reads = method === 'GET' || method === 'HEAD';
  const ways = credentials?.methods.map(({ name }) => name) ?? ['privateToken'];
  const credential = (known: string) =>
    ways.includes('privateToken') ? { 'private-token': known } : { authorization: basic(known) };
  return {
    method,
    url,
    headers: { ...(token === null ? {} : credential(token)), ...(reads ? {} : { 'content-type': 'application/json' }) },
    ...(reads ? {} : { payload: '{' }),
  };
}
