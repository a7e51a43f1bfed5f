import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { changesOf, type WatchedAttributes } from '../../../audit/changes.audit.ts';
import { type AuditEntry, project, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError, recordNotFound } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { PackageProtectionRule } from '../../../db/tables/package-protection-rules.table.ts';
import type { Deps } from '../../../deps.ts';
import { packageKinds } from '../package-kinds.ts';
import type { changedRule, newRule } from './protection-rules.inputs.ts';

/** Maximum number of rules per project: each publication checks those of its type. */
const MAX_RULES = 500;
const MAX_PATTERN = 255;

type Rule = Pick<
  PackageProtectionRule,
  'package_name_pattern' | 'package_type' | 'minimum_access_level_for_push' | 'minimum_access_level_for_delete'
>;

const invalid = (...errors: string[]) => new ApiError(422, errors.join(', '), { errors: { error: errors } });
const taken = () => invalid('Package name pattern has already been taken');

function check({ package_name_pattern: pattern, package_type, ...levels }: Rule): void {
  if (pattern.trim() === '') throw invalid("Package name pattern can't be blank");
  if (pattern.length > MAX_PATTERN) throw invalid('Package name pattern is too long (maximum is 255 characters)');
  const [fits, called] = packageKinds.get(package_type)?.protection?.patterns ?? [];
  if (fits?.test(pattern) === false) {
    throw invalid(`Package name pattern should be a valid ${called} package name with optional wildcard characters.`);
  }
  if (levels.minimum_access_level_for_push === null && levels.minimum_access_level_for_delete === null) {
    throw invalid('A rule must have at least a minimum access role for push or delete.');
  }
}

const refuseTaken = (error: unknown): never => {
  throw isUniqueViolation(error) ? taken() : error;
};

const updated = 'package_protection_rule_updated';
const WATCHED: WatchedAttributes<PackageProtectionRule> = {
  package_name_pattern: { name: updated, as: 'package name pattern' },
  package_type: { name: updated, as: 'package type' },
  minimum_access_level_for_push: { name: updated, as: 'minimum access level for push' },
  minimum_access_level_for_delete: { name: updated, as: 'minimum access level for delete' },
};

const entryOf = (
  { id, project_id, package_name_pattern }: PackageProtectionRule,
  entry: Pick<AuditEntry, 'name' | 'message' | 'more'>,
): AuditEntry => ({
  ...entry,
  entity: project(project_id),
  target: { id, type: 'Packages::Protection::Rule', details: package_name_pattern },
});

/** Changes the rules of a project, after checking the caller's rights again. */
const change = <T>(deps: Deps, caller: Caller, projectId: number, work: (db: Db) => Promise<T>): Promise<T> =>
  deps.db
    .transaction()
    .execute(async (db) => {
      await lockRow(db, 'projects', projectId);
      await revalidateProjectAbility(deps, db, caller, projectId, 'admin_package_protection');
      return work(db);
    })
    .catch(refuseTaken);

/** Query for the rules of a project, oldest first. */
export const rulesOf = (db: Db, projectId: number) =>
  db.selectFrom('package_protection_rules').selectAll().where('project_id', '=', projectId).orderBy('id');

/** @throws ApiError 404 */
export async function findRule(db: Db, projectId: number, id: number): Promise<PackageProtectionRule> {
  return rulesOf(db, projectId).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

/** @throws ApiError 403, 404; 422 for an invalid or duplicate pattern */
export function createRule(
  deps: Deps,
  caller: Caller,
  projectId: number,
  input: Static<typeof newRule>,
): Promise<PackageProtectionRule> {
  const now = timestamp(deps.clock);
  const { package_name_pattern, package_type } = input;
  const rule: Rule = {
    package_name_pattern,
    package_type,
    minimum_access_level_for_push: input.minimum_access_level_for_push ?? null,
    minimum_access_level_for_delete: input.minimum_access_level_for_delete ?? null,
  };
  check(rule);
  return change(deps, caller, projectId, async (db) => {
    const { many } = await db
      .selectFrom('package_protection_rules')
      .select(({ fn }) => fn.countAll().as('many'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    if (Number(many) >= MAX_RULES)
      throw invalid(`Limit reached: a project has at most ${MAX_RULES} package protection rules. Delete one first.`);
    const made = await db
      .insertInto('package_protection_rules')
      .values({ ...rule, project_id: projectId, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    const { minimum_access_level_for_push, minimum_access_level_for_delete } = made;
    await recordAudit(
      deps,
      db,
      entryOf(made, {
        name: 'package_protection_rule_created',
        message: 'Added package protection rule',
        more: { package_type, minimum_access_level_for_push, minimum_access_level_for_delete },
      }),
    );
    return made;
  });
}

/** Absent attributes are kept. @throws ApiError 403, 404, 422 */
export function updateRule(
  deps: Deps,
  caller: Caller,
  { project_id, id }: Pick<PackageProtectionRule, 'project_id' | 'id'>,
  changes: Static<typeof changedRule>,
): Promise<PackageProtectionRule> {
  return change(deps, caller, project_id, async (db) => {
    const before = await findRule(db, project_id, id);
    const changed = await db
      .updateTable('package_protection_rules')
      .set({ ...changes, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    check(changed);
    const entry = changesOf(before, changed, WATCHED).map((each) => entryOf(changed, each));
    await recordAudit(deps, db, entry);
    return changed;
  });
}

/** @param check receives the rule before deletion; may throw @throws ApiError 403, 404 */
export function removeRule(
  deps: Deps,
  caller: Caller,
  { project_id, id }: PackageProtectionRule,
  check: (now: PackageProtectionRule) => void,
): Promise<void> {
  return change(deps, caller, project_id, async (db) => {
    const deleted = await db
      .deleteFrom('package_protection_rules')
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(recordNotFound);
    check(deleted);
    const entry = { name: 'package_protection_rule_deleted', message: 'Removed package protection rule' } as const;
    await recordAudit(deps, db, entryOf(deleted, entry));
  });
}
