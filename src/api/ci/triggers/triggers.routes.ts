import { type Static, Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { CiTrigger } from '../../../db/tables/ci-triggers.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { shortTriggerToken } from '../../../pipelines/variables/job-facts.ts';
import { inProjectByUser } from '../../api.access.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { onObject, type ProjectObject } from '../../object-access.ts';
import { changedTrigger, listTriggers, newTrigger, TriggerId } from './triggers.inputs.ts';
import { Trigger } from './triggers.responses.ts';
import { createTrigger, describeTrigger, findTrigger, removeTrigger, triggersOf } from './triggers.writes.ts';

const PATH = '/projects/:id/triggers';
const ONE = `${PATH}/:trigger_id`;
const manage = inProjectByUser('admin_triggers');

const triggerObject: ProjectObject<typeof TriggerId, { trigger: CiTrigger }> = {
  noun: 'trigger',
  sees: 'admin_triggers',
  params: TriggerId,
  find: async (deps, { project }, { trigger_id }) => ({ trigger: await findTrigger(deps.db, project.id, trigger_id) }),
  target: (_deps, { trigger }, caller) => ({
    is: (relation) => relation === 'author' && trigger.owner_id === caller.user.id,
  }),
};
const one = onObject(triggerObject, 'admin_triggers');

async function present(deps: Deps, rows: readonly CiTrigger[], viewerId: number): Promise<Static<typeof Trigger>[]> {
  const owners = await usersById(deps.db, pluck(rows, 'owner_id'));
  return rows.flatMap((row) => {
    const owner = owners.get(row.owner_id);
    if (owner === undefined) return [];
    return {
      id: row.id,
      token: row.owner_id === viewerId ? row.token : shortTriggerToken(row.token),
      description: row.description,
      created_at: row.created_at,
      updated_at: row.updated_at,
      last_used: row.last_used_at,
      expires_at: row.expires_at,
      owner: userBasic(deps, owner),
    };
  });
}

/** Administration of trigger tokens. */
export const triggerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the trigger tokens of a project',
    access: manage,
    input: listTriggers,
    success: { status: 200, schema: Type.Array(Trigger) },
    handler: (c) => c.page(triggersOf(c.deps.db, c.project.id), (rows) => present(c.deps, rows, c.caller.user.id)),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a trigger token',
    access: one,
    success: { status: 200, schema: Trigger },
    handler: async ({ deps, caller, trigger }) => (await present(deps, [trigger], caller.user.id))[0],
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a trigger token',
    description: 'Its pipelines run as the user who creates it.',
    access: manage,
    input: newTrigger,
    success: { status: 201, schema: Trigger },
    handler: async ({ deps, caller, project, input }) => {
      const made = await createTrigger(deps, project.id, caller.user.id, input);
      return (await present(deps, [made], caller.user.id))[0];
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a trigger token',
    access: onObject(triggerObject, 'update_trigger'),
    input: changedTrigger,
    success: { status: 200, schema: Trigger },
    handler: async ({ deps, caller, trigger, input }) => {
      const changed = await describeTrigger(deps, trigger.id, input.description ?? trigger.description);
      return (await present(deps, [changed], caller.user.id))[0];
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a trigger token',
    access: one,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, trigger, request }) => {
      checkUnmodifiedSince(request, trigger.updated_at);
      await removeTrigger(deps, trigger.id);
    },
  }),
];
