import type { Selectable } from 'kysely';
import type { TSchema } from 'typebox';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableColumns } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectScope } from '../../api.access.ts';
import type { IssuableTable } from './issuables.filters.ts';

/** Columns that the endpoints of both kinds work with. */
export type IssuableRow = Pick<
  Selectable<IssuableColumns>,
  'id' | 'iid' | 'project_id' | 'author_id' | 'time_estimate' | 'time_spent'
>;

/** What tells issues and merge requests apart in the endpoints that both have. */
export interface IssuableKind<Row extends IssuableRow = IssuableRow> {
  type: 'Issue' | 'MergeRequest';
  table: IssuableTable;
  /** Name of the path parameter. */
  param: 'issue_iid' | 'merge_request_iid';
  /** As summaries call it, with its article. */
  noun: string;
  read: ProjectAbility;
  /** Who keeps its times. */
  manage: ProjectAbility;
  /** Who subscribes to it and puts it on their list. */
  follow: ProjectAbility;
  schema: TSchema;
  /** @throws ApiError 404 for none that the caller may read */
  find(deps: Deps, scope: ProjectScope & { caller: Caller }, iid: number): Promise<Row>;
  /** The JSON of a single one, with `subscribed`. */
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
