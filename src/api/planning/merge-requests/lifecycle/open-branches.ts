import { sql } from 'kysely';
import type { Db } from '../../../../db/db.schema.ts';
import { cachedUntilWrite } from '../../../../db/read-cache.ts';

/** Maximum number of branches per query. */
const BATCH = 500;
const OPEN = ['opened', 'locked'] as const;

/** Source and target branches of open merge requests in the project. */
export async function openBranches(db: Db, projectId: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('source_branch as name')
    .where('source_project_id', '=', projectId)
    .where('state', 'in', OPEN)
    .union((eb) =>
      eb
        .selectFrom('merge_requests')
        .select('target_branch as name')
        .where('project_id', '=', projectId)
        .where('state', 'in', OPEN),
    )
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** An open merge request of a source branch, with settings of its target project. */
export interface OpenMergeRequest {
  id: number;
  project_id: number;
  head_sha: string | null;
  target_branch: string;
  /** Settings of the target project, as stored in its row. */
  settings: string;
}

/** Open merge requests from and into given branches of a project. */
export interface OpenMergeRequests {
  /** By source branch, ordered by id. */
  bySource: Map<string, OpenMergeRequest[]>;
  /** Target branches among the given ones. */
  targets: Set<string>;
}

/**
 * Finds open merge requests from and into the given branches, which is all that a push of thousands of branches needs.
 * One query per batch of branches.
 */
export async function findOpen(db: Db, projectId: number, branches: readonly string[]): Promise<OpenMergeRequests> {
  const result: OpenMergeRequests = { bySource: new Map(), targets: new Set() };
  for (let at = 0; at < branches.length; at += BATCH) {
    const batch = branches.slice(at, at + BATCH);
    for (const row of await bySourceOrTarget(db, { projectId, branches: batch })) {
      const { branch, id, project_id, head_sha, target_branch, settings } = row;
      if (id === null) result.targets.add(branch);
      else {
        const open = { id, project_id: project_id!, head_sha, target_branch: target_branch!, settings: settings! };
        const others = result.bySource.get(branch);
        if (others === undefined) result.bySource.set(branch, [open]);
        else others.push(open);
      }
    }
  }
  return result;
}

interface Row {
  branch: string;
  id: number | null;
  project_id: number | null;
  head_sha: string | null;
  target_branch: string | null;
  settings: string | null;
}

/** A row for each merge request from one of the branches, and one without an id for each target branch. */
const bySourceOrTarget = cachedUntilWrite(
  (db, { projectId, branches }: { projectId: number; branches: readonly string[] }) =>
    db
      .selectFrom('merge_requests as m')
      .innerJoin('projects as p', 'p.id', 'm.project_id')
      .select(['m.source_branch as branch', 'm.id', 'm.project_id', 'm.head_sha', 'm.target_branch', 'p.settings'])
      .where('m.source_project_id', '=', projectId)
      .where('m.source_branch', 'in', branches)
      .where('m.state', 'in', OPEN)
      .$castTo<Row>()
      .unionAll((eb) =>
        eb
          .selectFrom('merge_requests as t')
          .select('t.target_branch as branch')
          .distinct()
          .select([
            sql<null>`cast(null as bigint)`.as('id'),
            sql<null>`cast(null as bigint)`.as('project_id'),
            sql<null>`cast(null as text)`.as('head_sha'),
            sql<null>`cast(null as text)`.as('target_branch'),
            sql<null>`cast(null as text)`.as('settings'),
          ])
          .where('t.project_id', '=', projectId)
          .where('t.target_branch', 'in', branches)
          .where('t.state', 'in', OPEN)
          .$castTo<Row>(),
      )
      .orderBy('id'),
);
