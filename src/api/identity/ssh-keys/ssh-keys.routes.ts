import { Type } from 'typebox';
import { isTokenBot } from '../../../access/caller.ts';
import { badRequest } from '../../../core/core.errors.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Enum, Filled, Instant, Nullable, pagination } from '../../../http/http.schema.ts';
import { anyone } from '../../api.access.ts';
import { OWN, ofUser, type Subject } from '../users/users.subjects.ts';
import { SshKeyEntity, USAGE_TYPES } from './ssh-keys.responses.ts';
import { presentSshKey } from './ssh-keys.views.ts';
import { addSshKey, removeSshKey, sshKeyOf } from './ssh-keys.writes.ts';

const newKey = Type.Object({
  title: Filled({ maxLength: 255 }),
  key: Filled(),
  expires_at: Type.Optional(Nullable(Instant())),
  usage_type: Type.Optional(Enum(USAGE_TYPES)),
});
const keyId = { key_id: Type.Integer() };

function routesFor(subject: Subject): Route[] {
  const path = `${subject.path}/keys`;
  const one = `${path}/:key_id`;
  return [
    route({
      method: 'GET',
      path,
      summary: `List ${subject.whose} SSH keys`,
      ...subject.reads(anyone, 'users_api_limit_ssh_keys'),
      params: subject.readParams({}),
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(SshKeyEntity) },
      errors: subject.errors(),
      handler: async (c) => {
        const { id } = await subject.find(c);
        const query = c.deps.db.selectFrom('ssh_keys').selectAll().where('user_id', '=', id).orderBy('id');
        return c.page(query, (rows) => rows.map(presentSshKey));
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get ${subject.oneOf('SSH key')}`,
      ...subject.reads(anyone, 'users_api_limit_ssh_key'),
      params: subject.readParams(keyId),
      success: { status: 200, schema: SshKeyEntity },
      errors: [404],
      handler: async (c) => presentSshKey(await sshKeyOf(c.deps.db, (await subject.find(c)).id, c.params.key_id)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Add an SSH key${subject.to}`,
      access: subject.writes('create_own_key'),
      params: subject.writeParams({}),
      input: newKey,
      success: { status: 201, schema: SshKeyEntity },
      errors: subject.errors(400),
      handler: async (c) => {
        const user = await subject.find(c);
        if (!subject.own && (user.kind === 'ghost' || isTokenBot(user))) throw badRequest();
        const { title, key, expires_at: expiresAt = null, usage_type: usageType = 'auth_and_signing' } = c.input;
        return presentSshKey(
          await addSshKey(c.deps, { userId: user.id, title, key, expiresAt, usageType }, c.caller.user.id),
        );
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Remove ${subject.oneOf('SSH key')}`,
      access: subject.writes('remove_own_key'),
      params: subject.writeParams(keyId),
      success: { status: 204, empty: true },
      errors: [404, 412],
      handler: async (c) => {
        const key = await sshKeyOf(c.deps.db, (await subject.find(c)).id, c.params.key_id);
        checkUnmodifiedSince(c.request, key.created_at);
        await removeSshKey(c.deps, key, c.caller.user.id);
      },
    }),
  ];
}

/** SSH keys of users; everyone may read them. */
export const sshKeyRoutes = [OWN, ofUser('user_id', { named: true })].flatMap(routesFor);
