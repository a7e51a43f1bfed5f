import { type TInteger, Type } from 'typebox';
import { notFound, unauthorized } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Filled, pagination } from '../../../http/http.schema.ts';
import { inProject, type ProjectScope } from '../../api.access.ts';
import { usersById } from '../../identity/index.ts';
import { onObject } from '../../object-access.ts';
import type { NoteScope } from '../notes/noteable.ts';
import { AwardEmoji } from './award-emoji.responses.ts';
import { presentAward } from './award-emoji.views.ts';
import { award, awardsOf, findAward, revoke } from './award-emoji.writes.ts';
import { AWARDABLES, findAwardable } from './awardable.ts';

const reading = inProject('read_project', { anonymous: true });

/** The four endpoints of one kind of awardable (part 1, section 4.10), or of notes on it. */
function awardRoutes({ segment, param, label }: (typeof AWARDABLES)[number], ofNotes: boolean): Route[] {
  const path = `/projects/:id/${segment}/:${param}${ofNotes ? '/notes/:note_id' : ''}/award_emoji`;
  const what = ofNotes ? `a comment on ${label}` : label;
  const target: Record<string, TInteger> = { [param]: Type.Integer() };
  if (ofNotes) target.note_id = Type.Integer();
  const params = Type.Object(target);
  const awardParams = Type.Object({ ...target, award_id: Type.Integer({ description: 'Id of the reaction.' }) });
  const findIn = (deps: Deps, scope: NoteScope, values: Record<string, number>) =>
    findAwardable(deps, scope, { segment, number: values[param]!, noteId: values.note_id });
  const find = (c: BaseContext & ProjectScope & { params: Record<string, number> }) => findIn(c.deps, c, c.params);
  const sees = 'read_project';
  /** Awardables without permission to react are 404, like those that do not exist. */
  const reacting = onObject(
    {
      noun: label.replace(/^an? /, ''),
      sees,
      params: target,
      find: async (deps, scope, values) => ({ awardable: await findIn(deps, scope, values) }),
      target: (_deps, { awardable: { locked, sealed } }) => ({ is: () => false, locked, sealed }),
    },
    'award_emoji',
    { refusal: () => notFound('Award Emoji') },
  );
  const revoking = onObject(
    {
      noun: 'reaction',
      sees,
      params: awardParams.properties,
      find: async (deps, scope, values) => {
        const awardable = await findIn(deps, scope, values);
        return { awardable, reaction: await findAward(deps.db, awardable, values.award_id!) };
      },
      target: (_deps, { reaction }, { user }) => ({
        is: (relation) => relation === 'author' && reaction.user_id === user.id,
      }),
    },
    'revoke_emoji',
    { refusal: ({ permissions }) => (permissions.frozen ? notFound('Award Emoji') : unauthorized()) },
  );

  return [
    route({
      method: 'GET',
      path,
      summary: `List the reactions to ${what}`,
      access: reading,
      params,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(AwardEmoji) },
      errors: [404],
      handler: async (c) => {
        const { db } = c.deps;
        const awards = awardsOf(db, await find(c)).orderBy('id');
        return c.page(awards, async (rows) => {
          const users = await usersById(db, pluck(rows, 'user_id'));
          return rows.flatMap((row) => {
            const user = users.get(row.user_id);
            return user === undefined ? [] : [presentAward(c.deps, row, user)];
          });
        });
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:award_id`,
      summary: `Get a reaction to ${what}`,
      access: reading,
      params: awardParams,
      success: { status: 200, schema: AwardEmoji },
      errors: [404],
      handler: async (c) => {
        const { db } = c.deps;
        const row = await findAward(db, await find(c), c.params.award_id!);
        const users = await usersById(db, [row.user_id]);
        return presentAward(c.deps, row, users.get(row.user_id)!);
      },
    }),
    route({
      method: 'POST',
      path,
      summary: `React to ${what} with an emoji`,
      access: reacting,
      input: Type.Object({ name: Filled({ description: 'Name of the emoji, without colons, such as `thumbsup`.' }) }),
      success: { status: 201, schema: AwardEmoji },
      errors: [404],
      handler: async (c) =>
        presentAward(c.deps, await award(c.deps, c.caller, c.awardable, c.input.name), c.caller.user),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:award_id`,
      summary: `Remove a reaction to ${what}`,
      access: revoking,
      success: { status: 204, empty: true },
      errors: [401, 404, 412],
      handler: async (c) => {
        checkUnmodifiedSince(c.request, c.reaction.updated_at);
        await revoke(c.deps, c.caller, c.awardable, c.reaction);
      },
    }),
  ];
}

export const awardEmojiRoutes = AWARDABLES.flatMap((kind) => [...awardRoutes(kind, false), ...awardRoutes(kind, true)]);
