import { pluck } from '../../../core/pluck.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { participantsOf } from '../../planning/index.ts';
import { type Candidate, candidates } from '../recipients/candidate.ts';
import type { ProjectContext } from '../recipients/project-context.ts';
import { subscriptionsOf } from '../recipients/recipients.subscriptions.ts';
import { watchersOf } from '../recipients/recipients.watchers.ts';
import { assigneesOf } from '../topics/topic.ts';

/** The issue or merge request of an event. */
export interface AffectedIssuable {
  type: IssuableType;
  id: number;
  author_id: number;
}

/** Users related to an issue or merge request. */
export interface Participants {
  /** Participants, subscribers and watchers of the project. */
  all: Candidate[];
  assignees: number[];
  /** Users who unsubscribed. */
  unsubscribed: ReadonlySet<number>;
}

/** Loads the users to notify about an issue or merge request, in a few statements. */
export async function loadParticipants(
  deps: Deps,
  place: ProjectContext,
  affected: AffectedIssuable,
): Promise<Participants> {
  const { type } = affected;
  const people = await participantsOf(deps.db, type, affected, true).clearSelect().select('users.id').execute();
  const assignees = await assigneesOf(deps, type, affected.id);
  const subscriptions = await subscriptionsOf(deps.db, affected);
  return {
    all: [
      ...candidates(pluck(people, 'id'), 'participating'),
      ...candidates(assignees, 'participating', 'assigned'),
      ...subscriptions.follow,
      ...(await watchersOf(deps, place)),
    ],
    assignees,
    unsubscribed: subscriptions.not,
  };
}
