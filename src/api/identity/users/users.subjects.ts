import { type TObject, type TProperties, Type } from 'typebox';
import type { InstanceAbility } from '../../../access/instance-abilities.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Access, BaseContext, RouteLimit } from '../../../http/http.route.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { userById, userByIdOrName } from './users.find.ts';

/** Options of a route that reads. */
interface Reading {
  access: Access;
  scopes: readonly string[];
  limit?: RouteLimit;
}

/** Whose things routes are about: the caller's own, or those of the user in the path. */
export interface Subject {
  own: boolean;
  /** Beginning of the paths. */
  path: string;
  /** In summaries: `List ${whose} keys`. */
  whose: string;
  /** In summaries: `Get ${oneOf('key')}`. @param many plural of the noun; with an `s` when absent */
  oneOf(noun: string, many?: string): string;
  /** In summaries: `Add a key${to}`. */
  to: string;
  /** Who may read. @param others who may read what is not their own, and the setting of how often */
  reads(others: Access, setting?: RouteLimit['setting']): Reading;
  /** Who may write. @param own the ability for what is the caller's own */
  writes(own: InstanceAbility): ReturnType<typeof onServer>;
  /** Path parameters. */
  readParams<P extends TProperties>(more: P): TObject<P>;
  writeParams<P extends TProperties>(more: P): TObject<P>;
  /** Refusals of a route without a path parameter of its own. */
  errors(...others: number[]): number[];
  /** @throws ApiError 404 */
  find(c: Pick<BaseContext, 'deps' | 'caller'> & { params: object }): Promise<User>;
}

const scopes = ['read_user'];

/** What is the caller's own, below `/user`. */
export const OWN: Subject = {
  own: true,
  path: '/user',
  whose: "the caller's",
  oneOf: (noun, many = `${noun}s`) => `one of the caller's ${many}`,
  to: '',
  reads: () => ({ access: signedIn, scopes }),
  writes: onServer,
  readParams: (more) => Type.Object(more),
  writeParams: (more) => Type.Object(more),
  errors: (...others) => others,
  find: async (c) => c.caller.user!,
};

/**
 * What a user has, below `/users/:id`; administrators change it.
 * @param param name of the path parameter
 * @param named whether routes that read take the name of the user as well
 */
export function ofUser(param: 'id' | 'user_id', { named = false } = {}): Subject {
  const id = { [param]: Type.Integer({ description: 'Id of the user.' }) };
  const idOrName = named ? { [param]: Type.String({ description: 'Id or user name.' }) } : id;
  return {
    own: false,
    path: `/users/:${param}`,
    whose: "a user's",
    oneOf: (noun) => `a user's ${noun}`,
    to: ' to a user',
    reads: (access, setting) => ({
      access,
      scopes,
      ...(setting === undefined ? {} : { limit: { setting, periodSeconds: 60 } }),
    }),
    writes: () => onServer('admin_users'),
    readParams: (more) => Type.Object({ ...idOrName, ...more }),
    writeParams: (more) => Type.Object({ ...id, ...more }),
    errors: (...others) => [...others, 404],
    find: ({ deps, params }) => {
      const parameter = (params as Readonly<Record<string, unknown>>)[param];
      return typeof parameter === 'number' ? userById(deps.db, parameter) : userByIdOrName(deps.db, String(parameter));
    },
  };
}
