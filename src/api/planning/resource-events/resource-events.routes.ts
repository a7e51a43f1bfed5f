import { type TInteger, type TSchema, Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { ResourceEvent } from '../../../db/tables/resource-events.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import type { IssuableKind, IssuableRow } from '../issuables/issuables.kind.ts';
import { ISSUE_KIND } from '../issues/issues.kind.ts';
import { MERGE_REQUEST_KIND } from '../merge-requests/views/merge-requests.kind.ts';
import {
  ResourceIterationEvent,
  ResourceLabelEvent,
  ResourceMilestoneEvent,
  ResourceStateEvent,
  ResourceWeightEvent,
} from './resource-events.responses.ts';
import { presentResourceEvents } from './resource-events.views.ts';

const SCHEMAS: Record<ResourceEvent['kind'], TSchema> = {
  label: ResourceLabelEvent,
  milestone: ResourceMilestoneEvent,
  state: ResourceStateEvent,
  weight: ResourceWeightEvent,
  iteration: ResourceIterationEvent,
};

/** Resource events of one kind of an issue or merge request, oldest first. */
const eventsOf = ({ db }: Deps, type: 'Issue' | 'MergeRequest', id: number, kind: ResourceEvent['kind']) =>
  db
    .selectFrom('resource_events')
    .selectAll()
    .where('issuable_type', '=', type)
    .where('issuable_id', '=', id)
    .where('kind', '=', kind);

/** Kinds of events that exist on paid plans only. */
const PREMIUM: ReadonlySet<ResourceEvent['kind']> = new Set(['weight', 'iteration']);

function routesOf<Row extends IssuableRow>(of: IssuableKind<Row>, kind: ResourceEvent['kind']): Route[] {
  const name = `resource_${kind}_event`;
  const path = `/projects/:id/${of.table}/:${of.param}/${name}s`;
  const iid: Record<string, TInteger> = {
    [of.param]: Type.Integer({ description: `Number of ${of.noun} in the project.` }),
  };
  const one: Record<string, TInteger> = { ...iid, event_id: Type.Integer({ description: `Id of the ${kind} event.` }) };
  const access = inProject(of.read);
  const plan = PREMIUM.has(kind) ? ({ plan: 'premium' } as const) : {};
  return [
    route({
      method: 'GET',
      path,
      ...plan,
      summary: `List the ${kind} events of ${of.noun}`,
      description: 'Author and time of each change, oldest first.',
      access,
      params: Type.Object(iid),
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(SCHEMAS[kind]) },
      errors: [404],
      handler: async (c) => {
        const { id } = await of.find(c.deps, c, c.params[of.param]!);
        const query = eventsOf(c.deps, of.type, id, kind).orderBy('id');
        return c.page(query, (rows) => presentResourceEvents(c, kind, rows));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:event_id`,
      ...plan,
      summary: `Get a ${kind} event of ${of.noun}`,
      access,
      params: Type.Object(one),
      success: { status: 200, schema: SCHEMAS[kind] },
      errors: [404],
      handler: async (c) => {
        const { id } = await of.find(c.deps, c, c.params[of.param]!);
        const event = await eventsOf(c.deps, of.type, id, kind).where('id', '=', c.params.event_id!).executeTakeFirst();
        if (event === undefined) throw notFound(`Resource${kind[0]!.toUpperCase()}${kind.slice(1)}Event`);
        return (await presentResourceEvents(c, kind, [event]))[0];
      },
    }),
  ];
}

export const resourceEventRoutes: readonly Route[] = [
  ...(['label', 'milestone', 'state', 'weight', 'iteration'] as const).flatMap((kind) => routesOf(ISSUE_KIND, kind)),
  ...(['label', 'milestone', 'state'] as const).flatMap((kind) => routesOf(MERGE_REQUEST_KIND, kind)),
];
