import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import { today } from '../core/clock.ts';
import type { Schema } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { isProjectOf } from './access.membership.ts';
import type { Caller } from './caller.ts';
import { openVisibilities } from './visible-groups.ts';

/** A condition on the rows of `projects`, for `where`. */
export type ProjectCondition = (eb: ExpressionBuilder<Schema, 'projects'>) => Expression<SqlBool>;

/**
 * Condition on the projects that the caller may see: `read_project` holds for each. For users and anonymous callers
 * only: it does not consider job tokens, which are strangers in most projects, nor deploy tokens.
 */
export function visibleProjects({ clock }: Pick<Deps, 'clock'>, caller: Caller): ProjectCondition {
  if (caller.admin) return (eb) => eb.lit(true);
  const { user } = caller;
  const open = openVisibilities(caller);
  if (user === null) return (eb) => eb('projects.visibility', 'in', open);
  const member = isProjectOf(user.id, AccessLevel.guest, today(clock));
  return (eb) => eb.or([eb('projects.visibility', 'in', open), member]);
}
