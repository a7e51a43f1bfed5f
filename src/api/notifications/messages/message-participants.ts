import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { participantsOf } from '../../planning/index.ts';
import { type Candidate, candidates } from '../recipients/candidate.ts';
import type { ProjectContext } from '../recipients/project-context.ts';
import { subscriptionsOf } from '../recipients/recipients.subscriptions.ts';
import { watchersOf } from '../recipients/recipients.watchers.ts';
import { assigneesOf } from '../topics/topic.ts';

/** An issue or merge request that something happened to. */
export interface AffectedIssuable {
  type: IssuableType;
  id: number;
  author_id: number;
}

/** Who stands around an issue or merge request. */
export interface Participants {
  /** Who takes part in it, follows it or watches the project. */
  all: Candidate[];
  assignees: number[];
  /** Who said that they do not follow it. */
  unsubscribed: ReadonlySet<number>;
}

/** Who may have to be told of what happens to an issue or merge request, in a few statements. */
export async function loadParticipants(
  deps: Deps,
  place: ProjectContext,
  affected: AffectedIssuable,
): Promise<Participants> {
  const { type } = affected;
  const people = await participantsOf(deps.db, type, affected, true).clearSelect().select('users.id').execute();
  const assignees = await assigneesOf(deps, type, affected.id);
  const said = await subscriptionsOf(deps.db, affected);
  return {
    all: [
      ...candidates(
        people.map(({ id }) => id),
        'participating',
      ),
      ...candidates(assignees, 'participating', 'assigned'),
      ...said.follow,
      ...(await watchersOf(deps, place)),
    ],
    assignees,
    unsubscribed: said.not,
  };
}
