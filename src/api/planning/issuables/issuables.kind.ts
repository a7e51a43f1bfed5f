import type { Selectable } from 'kysely';
import type { TSchema } from 'typebox';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableColumns } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectScope } from '../../api.access.ts';
import type { IssuableTable } from './issuables.filters.ts';

/** Columns that the shared endpoints use. */
export type IssuableRow = Pick<
  Selectable<IssuableColumns>,
  'id' | 'iid' | 'project_id' | 'author_id' | 'time_estimate' | 'time_spent'
>;

/** Differences between issues and merge requests in shared endpoints. */
export interface IssuableKind<Row extends IssuableRow = IssuableRow> {
  type: 'Issue' | 'MergeRequest';
  table: IssuableTable;
  /** Name of the path parameter. */
  param: 'issue_iid' | 'merge_request_iid';
  /** Name in summaries, with its article. */
  noun: string;
  read: ProjectAbility;
  /** Ability to manage its time tracking. */
  manage: ProjectAbility;
  /** Ability to subscribe to it and to add it to the to-do list. */
  follow: ProjectAbility;
  schema: TSchema;
  /** @throws ApiError 404 if it does not exist or the caller may not read it */
  find(deps: Deps, scope: ProjectScope & { caller: Caller }, iid: number): Promise<Row>;
  /** Presents a single one, with `subscribed`. */
  present(deps: Deps, scope: ProjectScope & { caller: Caller }, row: Row): Promise<unknown>;
  /** Records the event of a change, in its transaction. */
  recordUpdate(
    deps: Deps,
    db: Db,
    row: IssuableRow,
    changes: Record<string, [unknown, unknown]>,
    actorId: number,
  ): Promise<void>;
}
