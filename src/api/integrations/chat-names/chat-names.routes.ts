import { type Static, Type } from 'typebox';
import { recordAudit, user } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound, recordNotFound } from '../../../core/core.errors.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { ChatName as ChatNameRow } from '../../../db/tables/chat-names.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { pagination, Secret } from '../../../http/http.schema.ts';
import { readLinkToken } from '../../../integrations/commands/link.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { ChatName } from './chat-names.responses.ts';

const PATH = '/user/chat_names';
/** Maximum number of accounts per user. */
const MAX_NAMES = 100;

const present = ({ user_id: _user, ...row }: ChatNameRow): Static<typeof ChatName> => row;

/** Links the account of a token to a user. @throws ApiError 404 */
async function link(deps: Deps, userId: number, token: string): Promise<ChatNameRow> {
  const account = readLinkToken(deps, token);
  if (account === undefined) throw notFound('Chat Account');
  return deps.db.transaction().execute(async (db) => {
    if (!(await lockRow(db, 'users', userId))) throw recordNotFound();
    await db
      .selectFrom('integrations')
      .select('id')
      .where('id', '=', account.integration_id)
      .executeTakeFirstOrThrow(() => notFound('Integration'));
    const { count } = await db
      .selectFrom('chat_names')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_NAMES)
      throw invalidModel({
        base: [`Limit reached: a user can link at most ${MAX_NAMES} chat accounts. Unlink one first.`],
      });
    const { integration_id, team_id, chat_id } = account;
    const row = await db
      .insertInto('chat_names')
      .values({ ...account, user_id: userId, created_at: timestamp(deps.clock), last_used_at: null })
      .onConflict((conflict) =>
        conflict.columns(['integration_id', 'team_id', 'chat_id']).doUpdateSet({ user_id: userId }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(deps, db, {
      name: 'chat_name_linked',
      entity: user(userId),
      target: { id: row.id, type: 'ChatName', details: `${team_id}/${chat_id}` },
      message: `Linked a chat account for the integration ${integration_id}`,
    });
    return row;
  });
}

/** Chat accounts from which users run commands. */
export const chatNameRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the chat accounts of the caller',
    description: 'Chat accounts from which commands run as the caller.',
    access: signedIn,
    scopes: ['read_user'],
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ChatName) },
    handler: (c) => {
      const query = c.deps.db
        .selectFrom('chat_names')
        .selectAll()
        .where('user_id', '=', c.caller.user.id)
        .orderBy('id');
      return c.page(query, (rows) => rows.map(present));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Link a chat account',
    description:
      'Commands from the chat account then run as the caller. A command from an unlinked account is answered with the token.',
    access: onServer('link_own_chat_name'),
    input: Type.Object({
      token: Secret({ description: 'Token from the chat; valid for ten minutes.', maxLength: 4096 }),
    }),
    success: { status: 201, schema: ChatName },
    errors: [400, 404],
    handler: async ({ deps, caller, input }) => present(await link(deps, caller.user.id, input.token)),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:chat_name_id`,
    summary: 'Unlink a chat account of the caller',
    access: onServer('remove_own_chat_name'),
    params: Type.Object({ chat_name_id: Type.Integer({ description: 'Id of the linked chat account.' }) }),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async ({ deps, caller, params, request }) => {
      const own = deps.db
        .selectFrom('chat_names')
        .selectAll()
        .where('id', '=', params.chat_name_id)
        .where('user_id', '=', caller.user.id);
      const row = await own.executeTakeFirstOrThrow(() => notFound('Chat Account'));
      checkUnmodifiedSince(request, row.created_at);
      await deps.db.transaction().execute(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom('chat_names')
          .where('id', '=', row.id)
          .where('user_id', '=', caller.user.id)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw notFound('Chat Account');
        await recordAudit(deps, db, {
          name: 'chat_name_unlinked',
          entity: user(caller.user.id),
          target: { id: row.id, type: 'ChatName', details: `${row.team_id}/${row.chat_id}` },
          message: `Unlinked a chat account for the integration ${row.integration_id}`,
        });
      });
    },
  }),
];
