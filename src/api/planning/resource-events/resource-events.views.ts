import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { today } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { ResourceEvent } from '../../../db/tables/resource-events.table.ts';
import type { Deps } from '../../../deps.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { visibleMergeRequests } from '../issuables/visible-merge-requests.ts';
import { presentLabel } from '../labels/labels.views.ts';
import { milestonesById } from '../milestones/milestones.find.ts';

type Reader = Pick<BaseContext, 'deps' | 'caller'>;

/** Details of an event that depend on its kind. */
type Details = (event: ResourceEvent) => object;

const idsIn = (events: readonly ResourceEvent[], column: 'milestone_id' | 'source_merge_request_id') => [
  ...new Set(events.flatMap((event) => event[column] ?? [])),
];

async function labelDetails({ deps }: Reader, events: readonly ResourceEvent[]): Promise<Details> {
  const labels = await rowsById(deps.db, 'labels', pluck(events, 'label_id'));
  const shown = new Map(Array.from(labels, ([id, label]) => [id, presentLabel(label)]));
  return ({ label_id, action }) => ({ label: shown.get(label_id ?? 0) ?? null, action });
}

async function milestoneDetails({ deps }: Reader, events: readonly ResourceEvent[]): Promise<Details> {
  const shown = await milestonesById(deps, deps.db, idsIn(events, 'milestone_id'));
  return ({ milestone_id, action, state }) => ({ milestone: shown.get(milestone_id ?? 0) ?? null, action, state });
}

/** Details of state events; the source of a closing is shown only to users who may see it. */
async function stateDetails(reader: Reader, events: readonly ResourceEvent[]): Promise<Details> {
  const { deps, caller } = reader;
  const ids = idsIn(events, 'source_merge_request_id');
  const visible =
    ids.length === 0
      ? []
      : await deps.db
          .selectFrom('merge_requests')
          .select('id')
          .where('id', 'in', ids)
          .where(() => visibleMergeRequests(caller, today(deps.clock)))
          .execute();
  const mergeRequests = new Set(visible.map(({ id }) => id));
  const commits = events.filter(({ source_commit }) => source_commit !== null);
  const projects = await readableCode(
    reader,
    new Set(commits.flatMap(({ source_project_id }) => source_project_id ?? [])),
  );
  return ({ state, source_commit, source_merge_request_id, source_project_id }) => ({
    source_commit: projects.has(source_project_id ?? 0) ? source_commit : null,
    source_merge_request_id: mergeRequests.has(source_merge_request_id ?? 0) ? source_merge_request_id : null,
    state,
  });
}

async function readableCode({ deps, caller }: Reader, ids: ReadonlySet<number>): Promise<Set<number>> {
  const readable = new Set<number>();
  for (const id of ids) {
    const scope = await findProject(deps, String(id));
    if (scope === undefined) continue;
    const permissions = await projectPermissions(deps, caller, scope.project, scope.namespace);
    if (permissions.can('read_code')) readable.add(id);
  }
  return readable;
}

const DETAILS: Record<ResourceEvent['kind'], (reader: Reader, events: readonly ResourceEvent[]) => Promise<Details>> = {
  label: labelDetails,
  milestone: milestoneDetails,
  state: stateDetails,
  weight:
    async () =>
    ({ weight }) => ({ weight }),
  iteration:
    async () =>
    ({ action }) => ({ iteration: null, action }),
};

const resourceOf = ({ kind, issuable_type, issuable_id }: ResourceEvent): object =>
  kind === 'weight' ? { issue_id: issuable_id } : { resource_type: issuable_type, resource_id: issuable_id };

/** Presents events of one kind, in a fixed number of queries. */
export async function presentResourceEvents(
  { deps, caller }: { deps: Deps } & Pick<BaseContext, 'caller'>,
  kind: ResourceEvent['kind'],
  events: readonly ResourceEvent[],
): Promise<object[]> {
  const details = await DETAILS[kind]({ deps, caller }, events);
  const users = await usersById(deps.db, pluck(events, 'user_id'));
  return events.map((event) => {
    const user = users.get(event.user_id ?? 0);
    return {
      id: event.id,
      user: user === undefined ? null : userBasic(deps, user),
      created_at: event.created_at,
      ...resourceOf(event),
      ...details(event),
    };
  });
}
