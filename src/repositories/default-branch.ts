import { lineageIds } from '../access/access.membership.ts';
import { timestamp } from '../core/clock.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { applicationSettings } from '../settings/application-settings.ts';
import { type BranchProtection, PROTECTIONS, protectionNumber, UNPROTECTED } from '../settings/branch-protection.ts';

/** Fallback name of the default branch. */
const DEFAULT_BRANCH = 'main';

/** Default branch name for new repositories if neither they nor their group set one. */
export const defaultBranchName = async (deps: Deps): Promise<string> =>
  (await applicationSettings(deps)).default_branch_name || DEFAULT_BRANCH;

/** Protects the default branch of a new project by the defaults of its group, else of the instance. */
export async function protectDefaultBranch(deps: Deps, db: Db, projectId: number, branch: string): Promise<void> {
  const rules = await rulesFor(deps, db, projectId);
  if (protectionNumber(rules) === UNPROTECTED) return;
  const now = timestamp(deps.clock);
  const row = await db
    .insertInto('protected_refs')
    .values({
      project_id: projectId,
      kind: 'branch',
      name: branch,
      allow_force_push: rules.allow_force_push ? 1 : 0,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return;
  const levels = (['push', 'merge'] as const).flatMap((action) =>
    rules[`allowed_to_${action}`].map(({ access_level }) => ({ protected_ref_id: row.id, action, access_level })),
  );
  if (levels.length > 0) await db.insertInto('protected_ref_levels').values(levels).execute();
}

interface ProtectionDefaults {
  default_branch_protection_defaults?: BranchProtection;
}

/** Defaults of the nearest group, if groups may set them, else of the instance. */
async function rulesFor(deps: Deps, db: Db, projectId: number): Promise<BranchProtection> {
  const settings = await applicationSettings(deps, db);
  const fallback = settings.default_branch_protection_defaults;
  if (!settings.group_owners_can_manage_default_branch_protection) return fallback;
  const place = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('namespaces.lineage')
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  const ids = lineageIds(place?.lineage ?? '');
  const rows = await db.selectFrom('namespaces').select(['id', 'settings']).where('id', 'in', ids).execute();
  const settingsByGroup = new Map(rows.map(({ id, settings }) => [id, parseJson<ProtectionDefaults>(settings)]));
  for (const id of ids.toReversed()) {
    const own = settingsByGroup.get(id)?.default_branch_protection_defaults;
    if (own !== undefined) return { ...PROTECTIONS[UNPROTECTED]!, ...own };
  }
  return fallback;
}
