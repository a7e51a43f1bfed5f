import { Type } from 'typebox';
import { equalsIgnoringCase } from '../../../db/like.ts';
import { route, type Success } from '../../../http/http.route.ts';
import { Filled, Nullable } from '../../../http/http.schema.ts';
import { anyone, inGroup, inProject } from '../../api.access.ts';
import { userAvatarUrl } from '../users/users.basic.ts';
import { userById } from '../users/users.find.ts';
import { sendPicture } from './avatars.send.ts';

const PICTURE: Success = { status: 200, contentType: 'image/*' };
const file = Type.Object({ file: Type.String({ description: 'File name of the avatar.' }) });

const readable = { anonymous: true } as const;

/** Avatars of users, groups, projects and topics; visible to everybody who may see the owner. */
export const avatarRoutes = [
  route({
    method: 'GET',
    path: '/avatar',
    summary: 'Get the avatar URL for a public e-mail address',
    access: anyone,
    input: Type.Object({ email: Filled(), size: Type.Optional(Type.Integer({ minimum: 1 })) }),
    success: { status: 200, schema: Type.Object({ avatar_url: Nullable(Type.String()) }) },
    handler: async ({ deps, input }) => {
      const user = await deps.db
        .selectFrom('users')
        .select(['id', 'avatar'])
        .where((eb) => equalsIgnoringCase(eb.ref('public_email'), input.email))
        .where('state', '=', 'active')
        .executeTakeFirst();
      return { avatar_url: user === undefined ? null : userAvatarUrl(deps, user) };
    },
  }),
  route({
    method: 'GET',
    root: true,
    path: '/uploads/-/system/user/avatar/:id/:file',
    summary: 'Get the avatar of a user',
    access: anyone,
    params: Type.Object({ id: Type.Integer(), ...file.properties }),
    success: PICTURE,
    errors: [404],
    handler: async (context) => {
      const { avatar } = await userById(context.deps.db, context.params.id);
      return sendPicture(context, avatar, context.params.file);
    },
  }),
  route({
    method: 'GET',
    root: true,
    path: '/uploads/-/system/group/avatar/:id/:file',
    summary: 'Get the avatar of a group',
    access: inGroup('read_group', readable),
    params: file,
    success: PICTURE,
    handler: (context) => sendPicture(context, context.group.avatar, context.params.file),
  }),
  route({
    method: 'GET',
    root: true,
    path: '/uploads/-/system/project/avatar/:id/:file',
    summary: 'Get the avatar of a project',
    access: inProject('read_project', readable),
    params: file,
    success: PICTURE,
    handler: (context) => sendPicture(context, context.project.avatar, context.params.file),
  }),
  route({
    method: 'GET',
    root: true,
    path: '/uploads/-/system/projects/topic/avatar/:id/:file',
    summary: 'Get the avatar of a topic',
    access: anyone,
    params: Type.Object({ id: Type.Integer(), ...file.properties }),
    success: PICTURE,
    errors: [404],
    handler: async (context) => {
      const { db } = context.deps;
      const topic = await db
        .selectFrom('topics')
        .select('avatar')
        .where('id', '=', context.params.id)
        .executeTakeFirst();
      return sendPicture(context, topic?.avatar ?? null, context.params.file);
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/avatar',
    summary: 'Download the avatar of a group',
    access: inGroup('read_group', readable),
    success: PICTURE,
    handler: (context) => sendPicture(context, context.group.avatar),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/avatar',
    summary: 'Download the avatar of a project',
    access: inProject('read_project', readable),
    success: PICTURE,
    handler: (context) => sendPicture(context, context.project.avatar),
  }),
];
