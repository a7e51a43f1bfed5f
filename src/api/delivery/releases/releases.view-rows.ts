import { sql } from 'kysely';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ReleaseEvidence } from '../../../db/tables/release-evidences.table.ts';
import type { ReleaseLink } from '../../../db/tables/release-links.table.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Milestone, milestonesById } from '../../planning/index.ts';

export interface IssueStats {
  total: number;
  closed: number;
}

/** Rows of other tables needed for releases, by release id. */
export interface ReleaseRows {
  /** Newest first. */
  links: ReadonlyMap<number, ReleaseLink[]>;
  /** Oldest first. */
  evidences: ReadonlyMap<number, Omit<ReleaseEvidence, 'summary'>[]>;
  /** By due date, then title. */
  milestones: ReadonlyMap<number, (Milestone & { issue_stats: IssueStats })[]>;
}

/** Copies of a text between database and response, and memory of a link in addition to its texts. */
const COPIES = 4;
const LINK_BYTES = 1_024;

/** Estimates the memory for a page of releases: each may have 500 links and long notes. */
export async function memoryEstimateOf(db: Db, rows: readonly Release[]): Promise<number> {
  if (rows.length === 0) return 0;
  const notes = rows.reduce((sum, { description }) => sum + (description?.length ?? 0), 0);
  const links = await db
    .selectFrom('release_links')
    .select(({ fn }) => fn.countAll<number | string>().as('many'))
    .select(sql<number | string | null>`sum(length(name) + 2 * length(url))`.as('texts'))
    .where('release_id', 'in', pluck(rows, 'id'))
    .executeTakeFirstOrThrow();
  return COPIES * (notes + Number(links.texts ?? 0)) + LINK_BYTES * Number(links.many);
}

/** Loads the other rows for a page of releases with a fixed number of queries. */
export async function readReleaseRows(deps: Deps, ids: readonly number[]): Promise<ReleaseRows> {
  if (ids.length === 0) return { links: new Map(), evidences: new Map(), milestones: new Map() };
  const { db } = deps;
  const links = await db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', 'in', ids)
    .orderBy('id', 'desc')
    .execute();
  const evidences = await db
    .selectFrom('release_evidences')
    .select(['id', 'release_id', 'sha', 'created_at'])
    .where('release_id', 'in', ids)
    .orderBy('id')
    .execute();
  return {
    links: Map.groupBy(links, ({ release_id }) => release_id),
    evidences: Map.groupBy(evidences, ({ release_id }) => release_id),
    milestones: await milestonesOf(deps, ids),
  };
}

async function milestonesOf(deps: Deps, ids: readonly number[]): Promise<ReleaseRows['milestones']> {
  const { db } = deps;
  const pairs = await db
    .selectFrom('milestone_releases')
    .innerJoin('milestones', 'milestones.id', 'milestone_releases.milestone_id')
    .select(['release_id', 'milestone_id'])
    .where('release_id', 'in', ids)
    .orderBy(sql`case when milestones.due_date is null then 1 else 0 end`)
    .orderBy('milestones.due_date')
    .orderBy('milestones.title')
    .orderBy('milestones.id')
    .execute();
  const idsOfMilestones = pairs.map(({ milestone_id }) => milestone_id);
  const shown = await milestonesById(deps, db, idsOfMilestones);
  const milestoneIds = [...new Set(idsOfMilestones)].sort((a, b) => a - b);
  // A milestone may have many issues: the counts are cached until the next write.
  const stats = await deps.snapshot.get(`issue-stats:${milestoneIds}`, () => issueStats(db, milestoneIds));
  const byRelease = new Map<number, (Milestone & { issue_stats: IssueStats })[]>();
  for (const { release_id, milestone_id } of pairs) {
    const milestone = shown.get(milestone_id);
    if (milestone === undefined) continue;
    const with_stats = { ...milestone, issue_stats: stats.get(milestone_id) ?? { total: 0, closed: 0 } };
    byRelease.set(release_id, [...(byRelease.get(release_id) ?? []), with_stats]);
  }
  return byRelease;
}

async function issueStats(db: Db, milestoneIds: readonly number[]): Promise<Map<number, IssueStats>> {
  if (milestoneIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .select(['milestone_id'])
    .select(sql<number>`count(*)`.as('total'))
    .select(sql<number>`sum(case when state = 'closed' then 1 else 0 end)`.as('closed'))
    .where('milestone_id', 'in', milestoneIds)
    .groupBy('milestone_id')
    .execute();
  return new Map(
    rows.map(({ milestone_id, total, closed }) => [milestone_id!, { total: Number(total), closed: Number(closed) }]),
  );
}
