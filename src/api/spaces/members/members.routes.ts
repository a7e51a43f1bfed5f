import { type Static, type TObject, Type } from 'typebox';
import { today } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { inSource, inSourceOrSelf, type SourceKind, type SourceScope } from '../spaces.source.ts';
import { requireInvites } from './invites.ts';
import { MANAGE_MEMBERS, READ_MEMBERS, REMOVE_MEMBER } from './members.abilities.ts';
import { AddMembersResult, memberChange, memberRemoval, newMember, userIdParam } from './members.inputs.ts';
import { findDirect, findMembership, type MemberFilters, memberQuery } from './members.queries.ts';
import { removeMember } from './members.removal.ts';
import { allMemberList, Member, memberList } from './members.responses.ts';
import { presentMembers } from './members.views.ts';
import { addMember, addMembers, changeOf, updateMember } from './members.writes.ts';
import { directMembers, effectiveMembers } from './memberships.ts';

type Scope = BaseContext & SourceScope;

function answerList(c: Scope, direct: boolean, filters: MemberFilters, seats: boolean) {
  const table = (direct ? directMembers : effectiveMembers)(c.source, today(c.deps.clock));
  return c.page(memberQuery(c.deps.db, table, filters), (rows) =>
    presentMembers(c.deps, rows, { admin: c.caller.admin, seats }),
  );
}

async function answerOne(c: Scope, direct: boolean, userId: number) {
  const table = (direct ? directMembers : effectiveMembers)(c.source, today(c.deps.clock));
  const membership = await findMembership(c.deps.db, table, userId);
  const [member] =
    membership === undefined ? [] : await presentMembers(c.deps, [membership], { admin: c.caller.admin });
  if (member === undefined) throw recordNotFound();
  return member;
}

async function add(c: Scope, input: Static<typeof newMember>) {
  requireInvites(c.deps, c.caller);
  const change = changeOf(c);
  const names = (input.user_id ?? input.username ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const who = input.user_id === undefined ? { usernames: names } : { ids: names };
  const membership = {
    accessLevel: input.access_level,
    expiresAt: input.expires_at ?? null,
    memberRoleId: input.member_role_id ?? null,
  };
  if (names.length > 1) {
    const message = await addMembers(c.deps, change, who, membership);
    return Object.keys(message).length === 0 ? { status: 'success' } : { status: 'error', message };
  }
  const member = await addMember(c.deps, change, who, membership);
  return (await presentMembers(c.deps, [member], { admin: c.caller.admin }))[0];
}

function readRoutes(kind: SourceKind, path: string): Route[] {
  const access = inSource(kind, READ_MEMBERS, { anonymous: true });
  const list = (suffix: string, direct: boolean, input: TObject, summary: string) =>
    route({
      method: 'GET',
      path: `${path}${suffix}`,
      summary,
      access,
      input,
      success: { status: 200, schema: Type.Array(Member) },
      handler: (c) => {
        const input = c.input as Static<typeof memberList> & Static<typeof allMemberList>;
        // No membership is linked to a SAML identity.
        const userIds = input.with_saml_identity ? [] : input.user_ids;
        const { query, skip_users: skipUsers, state } = input;
        return answerList(c, direct, { query, userIds, skipUsers, state }, input.show_seat_info ?? false);
      },
    });
  const one = (suffix: string, direct: boolean, summary: string) =>
    route({
      method: 'GET',
      path: `${path}${suffix}/:user_id`,
      summary,
      access,
      params: userIdParam,
      success: { status: 200, schema: Member },
      handler: (c) => answerOne(c, direct, c.params.user_id),
    });
  return [
    list('', true, memberList, `List the members of a ${kind}`),
    list('/all', false, allMemberList, `List the members of a ${kind}, including inherited and invited members`),
    one('', true, `Get a member of a ${kind}`),
    one('/all', false, `Get a member of a ${kind}, including inherited and invited members`),
  ];
}

function writeRoutes(kind: SourceKind, path: string): Route[] {
  return [
    route({
      method: 'POST',
      path,
      summary: `Add members to a ${kind}`,
      access: inSource(kind, MANAGE_MEMBERS),
      input: newMember,
      rules: { exactlyOne: [['user_id', 'username']] },
      success: { status: 201, schema: Type.Union([Member, AddMembersResult]) },
      errors: [409],
      handler: (c) => add(c, c.input),
    }),
    route({
      method: 'PUT',
      path: `${path}/:user_id`,
      summary: `Update a member of a ${kind}`,
      access: inSource(kind, MANAGE_MEMBERS),
      params: userIdParam,
      input: memberChange,
      success: { status: 200, schema: Member },
      handler: async (c) => {
        const member = await updateMember(c.deps, changeOf(c), c.params.user_id, {
          accessLevel: c.input.access_level,
          expiresAt: c.isSent('expires_at') ? (c.input.expires_at ?? null) : undefined,
          memberRoleId: c.input.member_role_id,
        });
        return (await presentMembers(c.deps, [member], { admin: c.caller.admin }))[0];
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:user_id`,
      summary: `Remove a member from a ${kind}; members can remove themselves`,
      access: inSourceOrSelf(kind, READ_MEMBERS, REMOVE_MEMBER, { as: 'self', noun: 'member' }),
      params: userIdParam,
      input: memberRemoval,
      success: { status: 204, empty: true },
      errors: [412],
      handler: async (c) => {
        const member = await findDirect(c.deps.db, c.source, c.params.user_id);
        if (member !== undefined) checkUnmodifiedSince(c.request, member.updated_at ?? member.created_at);
        await removeMember(c.deps, changeOf(c), c.params.user_id, {
          skipSubresources: c.input.skip_subresources ?? false,
          unassignIssuables: c.input.unassign_issuables ?? false,
        });
      },
    }),
  ];
}

/** Members of projects and groups, with the same routes and rules. */
export const memberRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((kind) => {
  const path = `/${kind}s/:id/members`;
  return [...readRoutes(kind, path), ...writeRoutes(kind, path)];
});
