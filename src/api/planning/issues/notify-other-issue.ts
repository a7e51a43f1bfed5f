import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';

/**
 * Writes a system note on an issue about another one, within a transaction; only users who may see the other issue see
 * it.
 */
export async function notifyOtherIssue(
  deps: Deps,
  db: Db,
  issue: Issue,
  other: Issue,
  text: string,
  actorId: number,
): Promise<void> {
  const about = { type: 'Issue', id: issue.id, projectId: issue.project_id } as const;
  const noteId = await writeSystemNote(deps, db, about, actorId, 'cross_reference', text);
  await db
    .insertInto('cross_references')
    .values({
      target_type: 'Issue',
      target_id: issue.id,
      source_type: 'Issue',
      source_id: other.id,
      source_sha: null,
      source_key: `Issue:${other.id}`,
      source_project_id: other.project_id,
      target_project_id: issue.project_id,
      note_id: noteId,
      created_at: timestamp(deps.clock),
    })
    .onConflict((conflict) =>
      conflict.columns(['target_type', 'target_id', 'source_key']).doUpdateSet({ note_id: noteId }),
    )
    .execute();
}
