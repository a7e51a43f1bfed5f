import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { visibleReferences } from '../../../access/visible-references.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { Noteable, NoteScope } from './noteable.ts';

/**
 * Condition on `notes`: the caller, who may read the noteable, may read them. Internal notes are visible to Planners
 * and above; cross references to users who may see their source.
 */
export async function visibleNotes(
  deps: Deps,
  { caller, permissions }: Pick<NoteScope, 'caller' | 'permissions'>,
  { type, id }: Pick<Noteable, 'type' | 'id'>,
): Promise<Expression<SqlBool>> {
  const eb = expressionBuilder<Schema, 'notes'>();
  const conditions: Expression<SqlBool>[] = [];
  if (!permissions.can('read_internal_note')) conditions.push(eb('notes.internal', '=', 0));
  if (type === 'Issue' || type === 'MergeRequest') conditions.push(await visibleReferences(deps, caller, type, [id!]));
  return eb.and(conditions);
}
