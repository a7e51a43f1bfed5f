import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { type ProjectScope, requireUser, withGroupAbility } from '../../api.access.ts';
import { groupLabels, type LabelOwner, type LabelSpace, projectLabels, requireLabelAdmin } from './label-owner.ts';
import {
  CreateGroupLabel,
  CreateProjectLabel,
  GroupLabelFilters,
  GroupLabelScope,
  type LabelJson,
  type LabelScope,
  LegacyUpdateGroupLabel,
  LegacyUpdateProjectLabel,
  labelId,
  legacyKey,
  ProjectLabelFilters,
  ProjectLabelScope,
  UpdateGroupLabel,
  type UpdateLabelInput,
  UpdateProjectLabel,
} from './labels.inputs.ts';
import { presentLabels } from './labels.list-views.ts';
import { notPromoted, promoteLabel } from './labels.promote.ts';
import { findLabel, labelList } from './labels.queries.ts';
import { GroupLabel, ProjectLabel } from './labels.responses.ts';
import { createLabel, destroyLabel, setSubscribed, updateLabel } from './labels.writes.ts';

const OWN: LabelScope = { include_ancestor_groups: false };
const UPDATES = ['new_name', 'color', 'description', 'priority', 'archived'];

/** Finds a label by id or name. @throws ApiError 404 */
async function getLabel(deps: Deps, caller: Caller, owner: LabelOwner, key: string, scope: LabelScope): Promise<Label> {
  const label = await findLabel(deps, caller, owner, key, scope);
  if (label === undefined) throw notFound('Label');
  return label;
}

async function presentOne({ deps, caller }: BaseContext, owner: LabelOwner, label: Label): Promise<LabelJson> {
  const [shown] = await presentLabels(deps, caller, owner, [label]);
  return shown!;
}

async function change(c: BaseContext, owner: LabelOwner, key: string, input: UpdateLabelInput): Promise<LabelJson> {
  const { deps, caller } = c;
  const label = await getLabel(deps, caller, owner, key, OWN);
  const { new_name, color, description, archived } = input;
  const attributes = [new_name, color, description, archived];
  if (attributes.some((each) => each !== undefined)) await requireLabelAdmin(deps, caller, owner, label);
  return presentOne(c, owner, await updateLabel(deps, owner, label, input));
}

async function remove({ deps, caller, request }: BaseContext, owner: LabelOwner, key: string): Promise<void> {
  const label = await getLabel(deps, caller, owner, key, OWN);
  await requireLabelAdmin(deps, caller, owner, label);
  checkUnmodifiedSince(request, label.updated_at);
  const removed = await destroyLabel(deps, label, caller.user?.id ?? null);
  if (removed === 0) throw notFound('Label');
}

/** Id or name of a label from parameters of older endpoints. */
const legacyKeyOf = ({ label_id, name = '' }: { label_id?: number; name?: string }) => String(label_id ?? name);

const labelsOf = <A extends object>({ path, noun, read, subscribe: follow, admin, owner }: LabelSpace<A>): Route[] => {
  const schema = noun === 'project' ? ProjectLabel : GroupLabel;
  const Update = noun === 'project' ? UpdateProjectLabel : UpdateGroupLabel;
  const atLeastOne = [noun === 'project' ? UPDATES : UPDATES.filter((name) => name !== 'priority')];
  const one = `${path}/:label_id`;
  const params = Type.Object(labelId);

  const subscribing = (action: 'subscribe' | 'unsubscribe') =>
    route({
      method: 'POST',
      path: `${one}/${action}`,
      summary: action === 'subscribe' ? `Subscribe to a label of a ${noun}` : `Unsubscribe from a label of a ${noun}`,
      description: 'Answers 304 if nothing changes.',
      access: follow,
      params,
      success: { status: 201, schema },
      errors: [304, 404],
      handler: async (c) => {
        const space = owner(c);
        const { user } = requireUser(c.caller);
        const label = await getLabel(c.deps, c.caller, space, c.params.label_id, {});
        const changed = await setSubscribed(c.deps, label, user.id, action === 'subscribe');
        return changed ? presentOne(c, space, label) : c.reply.code(304).send();
      },
    });

  return [
    route({
      method: 'GET',
      path,
      summary: `List the labels of a ${noun}`,
      access: read,
      input: noun === 'project' ? ProjectLabelFilters : GroupLabelFilters,
      success: { status: 200, schema: Type.Array(schema) },
      handler: async (c) => {
        const space = owner(c);
        const query = await labelList(c.deps, c.caller, space, c.input);
        return c.page(query, (rows) =>
          presentLabels(c.deps, c.caller, space, rows, { withCounts: c.input.with_counts === true }),
        );
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get a label of a ${noun}`,
      access: read,
      params,
      input: noun === 'project' ? ProjectLabelScope : GroupLabelScope,
      success: { status: 200, schema },
      errors: [404],
      handler: async (c) => {
        const space = owner(c);
        return presentOne(c, space, await getLabel(c.deps, c.caller, space, c.params.label_id, c.input));
      },
    }),
    route({
      method: 'POST',
      path,
      summary: `Create a label in a ${noun}`,
      access: admin,
      input: noun === 'project' ? CreateProjectLabel : CreateGroupLabel,
      success: { status: 201, schema },
      errors: [409],
      handler: async (c) => {
        const space = owner(c);
        return presentOne(c, space, await createLabel(c.deps, space, c.input));
      },
    }),
    route({
      method: 'PUT',
      path: one,
      summary: `Change a label of a ${noun}`,
      access: admin,
      params,
      input: Update,
      rules: { atLeastOne },
      success: { status: 200, schema },
      errors: [404],
      handler: (c) => change(c, owner(c), c.params.label_id, c.input),
    }),
    route({
      method: 'PUT',
      path,
      summary: `Change a label of a ${noun} given by parameters`,
      access: admin,
      input: noun === 'project' ? LegacyUpdateProjectLabel : LegacyUpdateGroupLabel,
      rules: { atLeastOne, exactlyOne: [['label_id', 'name']] },
      success: { status: 200, schema },
      errors: [404],
      deprecated: true,
      handler: (c) => change(c, owner(c), legacyKeyOf(c.input), c.input),
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Delete a label of a ${noun}`,
      access: admin,
      params,
      success: { status: 204, empty: true },
      errors: [404, 412],
      handler: (c) => remove(c, owner(c), c.params.label_id),
    }),
    route({
      method: 'DELETE',
      path,
      summary: `Delete a label of a ${noun} given by parameters`,
      access: admin,
      input: Type.Object(legacyKey),
      rules: { exactlyOne: [['label_id', 'name']] },
      success: { status: 204, empty: true },
      errors: [404, 412],
      deprecated: true,
      handler: (c) => remove(c, owner(c), legacyKeyOf(c.input)),
    }),
    subscribing('subscribe'),
    subscribing('unsubscribe'),
  ];
};

/** Access for callers who may change the labels of both the project and its group. */
const promoter = withGroupAbility(projectLabels.admin, 'admin_group_label');

async function promote(c: BaseContext & ProjectScope, key: string): Promise<LabelJson> {
  const { deps, caller, namespace } = c;
  if (namespace.kind !== 'group') throw notPromoted();
  const label = await getLabel(deps, caller, projectLabels.owner(c), key, OWN);
  const promoted = await promoteLabel(deps, namespace, label);
  return presentOne(c, { type: 'group', id: namespace.id, namespace }, promoted);
}

export const labelRoutes: Route[] = [
  ...labelsOf(projectLabels),
  ...labelsOf(groupLabels),
  route({
    method: 'PUT',
    path: `${projectLabels.path}/:label_id/promote`,
    summary: 'Promote a project label to a group label',
    access: promoter,
    params: Type.Object(labelId),
    success: { status: 200, schema: GroupLabel },
    errors: [404],
    handler: (c) => promote(c, c.params.label_id),
  }),
  route({
    method: 'PUT',
    path: `${projectLabels.path}/promote`,
    summary: 'Promote a project label given by parameters to a group label',
    access: promoter,
    input: Type.Object({ name: Type.String() }),
    success: { status: 200, schema: GroupLabel },
    errors: [404],
    deprecated: true,
    handler: (c) => promote(c, c.input.name),
  }),
];
