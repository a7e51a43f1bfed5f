import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, type SqlBool, sql } from 'kysely';
import { PLANS, type Plan } from '../config/config.ts';
import { AccessLevel } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import type { Db, Schema } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import { effectivePlan } from './effective-plan.ts';
import type { LicenseDeps } from './licence.stored.ts';

/**
 * The highest level that is not billed: on the ultimate plan guests are free, on others only users without any
 * membership.
 */
const freeLevel = (plan: Plan): number => (plan === 'ultimate' ? AccessLevel.guest : AccessLevel.none);

/**
 * Whether a membership is billed: one above the free level, and, if guests are free, a guest whose custom role allows
 * more than reading code.
 */
export const isBilled = (plan: Plan, level: RawBuilder<unknown>, role: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${level} > ${freeLevel(plan)} or ${role} in (
    select member_role_id from member_role_permissions where permission <> 'read_code'))`;

/**
 * Whether a user is billed: an active person; on the ultimate plan only with a role above guest somewhere (silent parts
 * of the specification, 2.4.14). The only place that decides this.
 * @param day today
 */
export function isBillable(eb: ExpressionBuilder<Schema, 'users'>, plan: Plan, day: string) {
  const active = [eb('users.kind', '=', 'human'), eb('users.state', '=', 'active')];
  return plan === 'ultimate' ? eb.and([...active, belongsAboveFree(eb, plan, day)]) : eb.and(active);
}

function belongsAboveFree(
  eb: ExpressionBuilder<Schema, 'users'>,
  plan: Plan,
  day: string,
): ExpressionWrapper<Schema, 'users', SqlBool> {
  const memberships = eb
    .selectFrom('members')
    .select(sql.lit(1).as('one'))
    .whereRef('members.user_id', '=', 'users.id')
    .where(isBilled(plan, sql.ref('members.access_level'), sql.ref('members.member_role_id')))
    .where('members.state', '=', 'active')
    .where((inner) => inner.or([inner('members.expires_at', 'is', null), inner('members.expires_at', '>', day)]));
  return eb.exists(memberships);
}

/** Users per query, because an embedded database answers no other query meanwhile. */
const BATCH_SIZE = 10_000;

/** Number of users that a plan bills now. @param day today */
export async function countBillable(db: Db, plan: Plan, day: string): Promise<number> {
  const { last } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  let users = 0;
  for (let from = 0; from < Number(last ?? 0); from += BATCH_SIZE) {
    const { count } = await db
      .selectFrom('users')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('users.id', '>', from)
      .where('users.id', '<=', from + BATCH_SIZE)
      .where((eb) => isBillable(eb, plan, day))
      .executeTakeFirstOrThrow();
    users += Number(count);
    await setImmediate();
  }
  return users;
}

const billableOn = (plan: Plan) =>
  prepared((db, { ids, day }: { ids: readonly number[]; day: string }) =>
    db
      .selectFrom('users')
      .select('users.id')
      .where('users.id', 'in', ids)
      .where((eb) => isBillable(eb, plan, day)),
  );
const billable = new Map(PLANS.map((plan) => [plan, billableOn(plan)]));

/** The users among the given ones that the current plan bills. */
export async function billableAmong(deps: LicenseDeps, userIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) return new Set();
  const among = billable.get(await effectivePlan(deps))!;
  const rows = await among(deps.db, { ids: userIds, day: today(deps.clock) });
  return new Set(rows.map(({ id }) => id));
}
