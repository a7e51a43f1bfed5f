import type { Db } from '../../db/db.schema.ts';
import type { Integration } from '../../db/tables/integrations.table.ts';
import type { Deps } from '../../deps.ts';
import type { IssueLinks } from '../../markup/markup.issue-links.ts';
import { kindOf } from '../catalogue/catalogue.kinds.ts';
import { effectiveIntegrations } from '../effective-integrations.ts';
import { isAllowed } from '../integrations.rules.ts';
import { openSettings, textOf } from '../integrations.settings.ts';
import { hasIntegrations } from '../presence.ts';
import { TRACKER_SLUGS, trackerOf } from './patterns.ts';

/**
 * The external tracker of a project, its own or an inherited one.
 * @param db handle of a transaction, if any
 */
export async function effectiveTracker(deps: Deps, db: Db, projectId: number): Promise<Integration | undefined> {
  if (!(await hasIntegrations(deps, db))) return undefined;
  const integrations = await effectiveIntegrations(db, { kind: 'project', id: projectId });
  const trackers = integrations.filter(({ row }) => row.active === 1 && TRACKER_SLUGS.includes(row.slug));
  const [first] = trackers.sort((a, b) => Number(a.inherited) - Number(b.inherited) || a.row.id - b.row.id);
  return first !== undefined && (await isAllowed(deps, first.row, db)) ? first.row : undefined;
}

/**
 * Link rules for references to issues of the external tracker of a project. If the project has issues of its own, `#1`
 * is one of them.
 * @returns undefined if there is no external tracker
 */
export async function issueLinksOf(deps: Deps, projectId: number): Promise<IssueLinks | undefined> {
  const row = await effectiveTracker(deps, deps.db, projectId);
  if (row === undefined) return undefined;
  const project = await deps.db
    .selectFrom('projects')
    .select('issues_access_level')
    .where('id', '=', projectId)
    .executeTakeFirst();
  const short = project?.issues_access_level === 'disabled';
  const links = trackerOf(row.slug, textOf(openSettings(deps, row)), short);
  return links && { ...links, tracker: kindOf(row.slug)?.title ?? row.slug };
}
