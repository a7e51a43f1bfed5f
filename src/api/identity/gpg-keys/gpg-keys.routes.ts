import { Type } from 'typebox';
import type { GpgKey } from '../../../db/tables/gpg-keys.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { anyone } from '../../api.access.ts';
import { OWN, ofUser, type Subject } from '../users/users.subjects.ts';
import { addGpgKey, gpgKeyOf, removeGpgKey } from './gpg-keys.writes.ts';

const GpgKeyEntity = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'Armoured public key.' }),
  created_at: Instant(),
});
const present = ({ id, key, created_at }: GpgKey) => ({ id, key, created_at });

const newKey = Type.Object({
  key: Filled({ description: 'Armoured public key, as `gpg --armor --export` prints it.' }),
});
const keyId = { key_id: Type.Integer({ description: 'Id of the key.' }) };

function routesFor(subject: Subject): Route[] {
  const path = `${subject.path}/gpg_keys`;
  const one = `${path}/:key_id`;
  const remover = subject.writes('remove_own_key');
  return [
    route({
      method: 'GET',
      path,
      summary: `List ${subject.whose} GPG keys`,
      ...subject.reads(anyone, 'users_api_limit_gpg_keys'),
      params: subject.readParams({}),
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(GpgKeyEntity) },
      errors: subject.errors(),
      handler: async (c) => {
        const { id } = await subject.find(c);
        const query = c.deps.db.selectFrom('gpg_keys').selectAll().where('user_id', '=', id).orderBy('id');
        return c.page(query, (rows) => rows.map(present));
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get ${subject.oneOf('GPG key')}`,
      ...subject.reads(anyone, 'users_api_limit_gpg_key'),
      params: subject.readParams(keyId),
      success: { status: 200, schema: GpgKeyEntity },
      errors: [404],
      handler: async (c) => present(await gpgKeyOf(c.deps.db, (await subject.find(c)).id, c.params.key_id)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Add a GPG key${subject.to}`,
      access: subject.writes('create_own_key'),
      params: subject.writeParams({}),
      input: newKey,
      success: { status: 201, schema: GpgKeyEntity },
      errors: subject.errors(),
      handler: async (c) => present(await addGpgKey(c.deps, (await subject.find(c)).id, c.input.key)),
    }),
    route({
      method: 'POST',
      path: `${one}/revoke`,
      summary: `Revoke ${subject.oneOf('GPG key')}`,
      description: 'Removes the key; commits that it signed become unverified.',
      access: remover,
      params: subject.writeParams(keyId),
      success: { status: 202, empty: true },
      errors: [404],
      handler: async (c) =>
        removeGpgKey(c.deps, await gpgKeyOf(c.deps.db, (await subject.find(c)).id, c.params.key_id)),
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Remove ${subject.oneOf('GPG key')}`,
      access: remover,
      params: subject.writeParams(keyId),
      success: { status: 204, empty: true },
      errors: [404, 412],
      handler: async (c) => {
        const key = await gpgKeyOf(c.deps.db, (await subject.find(c)).id, c.params.key_id);
        checkUnmodifiedSince(c.request, key.created_at);
        await removeGpgKey(c.deps, key);
      },
    }),
  ];
}

/** GPG keys of users; everyone may read them. */
export const gpgKeyRoutes = [OWN, ofUser('id')].flatMap(routesFor);
