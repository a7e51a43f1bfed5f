import { type TInteger, Type } from 'typebox';
import { pageOf } from '../../../db/paginate.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
import { type BaseContext, type Route, route } from '../../../http/route.ts';
import { Filled, pagination } from '../../../http/schema.ts';
import { inProject, inProjectByUser, type ProjectScope } from '../../access.ts';
import { usersById } from '../../identity/index.ts';
import { AWARDABLES, findAwardable } from './awardable.ts';
import { AwardEmoji, presentAward } from './entity.ts';
import { award, awardsOf, findAward, revoke } from './service.ts';

const reading = inProject('read_project', { anonymous: true });
const reacting = inProjectByUser('read_project');

/** The four endpoints of one kind of thing (part 1, section 4.10), or of the notes on it. */
function awardRoutes({ segment, param, label }: (typeof AWARDABLES)[number], ofNotes: boolean): Route[] {
  const path = `/projects/:id/${segment}/:${param}${ofNotes ? '/notes/:note_id' : ''}/award_emoji`;
  const what = ofNotes ? `a comment on ${label}` : label;
  const target: Record<string, TInteger> = { [param]: Type.Integer() };
  if (ofNotes) target.note_id = Type.Integer();
  const params = Type.Object(target);
  const awardParams = Type.Object({ ...target, award_id: Type.Integer({ description: 'Id of the reaction.' }) });
  const find = (c: BaseContext & ProjectScope & { params: Record<string, number> }) =>
    findAwardable(c.deps, c, { segment, number: c.params[param]!, noteId: c.params.note_id });

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
        const { rows, total } = await pageOf(db, awards, c.page);
        setPageHeaders(c.deps.externalUrl(), c.request, c.reply, c.page, { total });
        const users = await usersById(
          db,
          rows.map(({ user_id }) => user_id),
        );
        return rows.flatMap((row) => {
          const user = users.get(row.user_id);
          return user === undefined ? [] : [presentAward(c.deps, row, user)];
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
      params,
      input: Type.Object({ name: Filled({ description: 'Name of the emoji without colons, `thumbsup` for one.' }) }),
      success: { status: 201, schema: AwardEmoji },
      errors: [404],
      handler: async (c) =>
        presentAward(c.deps, await award(c.deps, c.caller, await find(c), c.input.name), c.caller.user),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:award_id`,
      summary: `Take a reaction to ${what} back`,
      access: reacting,
      params: awardParams,
      success: { status: 204, empty: true },
      errors: [401, 404, 412],
      handler: async (c) => {
        const awardable = await find(c);
        const row = await findAward(c.deps.db, awardable, c.params.award_id!);
        checkUnmodifiedSince(c.request, row.updated_at);
        await revoke(c.deps, c.caller, awardable, row);
      },
    }),
  ];
}

export const awardEmojiRoutes = AWARDABLES.flatMap((kind) => [...awardRoutes(kind, false), ...awardRoutes(kind, true)]);
