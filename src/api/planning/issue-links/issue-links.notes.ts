import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { referencesOf } from '../issuables/issuables.views.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import type { LinkType } from './issue-links.responses.ts';

/** One of the two issues of a link. */
export interface LinkEnd {
  issue: Issue;
  project: Project;
}

const OPPOSITE = { relates_to: 'relates_to', blocks: 'is_blocked_by', is_blocked_by: 'blocks' } as const;
const WORDS = {
  relates_to: 'marked this issue as related to',
  blocks: 'marked this issue as blocking',
  is_blocked_by: 'marked this issue as blocked by',
} as const;

/**
 * Writes a note on one issue that refers to the other; as a cross reference, only users who may see the other issue see
 * it.
 */
async function tell(deps: Deps, db: Db, on: LinkEnd, about: LinkEnd, actorId: number, words: string): Promise<void> {
  const { relative } = referencesOf('#', about.issue.iid, about.project, { project: on.project });
  const target = { type: 'Issue', id: on.issue.id, projectId: on.project.id } as const;
  const noteId = await writeSystemNote(deps, db, target, actorId, 'cross_reference', `${words} ${relative}`);
  await db
    .insertInto('cross_references')
    .values({
      target_type: 'Issue',
      target_id: on.issue.id,
      source_type: 'Issue',
      source_id: about.issue.id,
      source_sha: null,
      // Mentions are recorded once; links and their removal are recorded every time.
      source_key: `IssueLink:${noteId}`,
      source_project_id: about.project.id,
      target_project_id: on.project.id,
      note_id: noteId,
      created_at: timestamp(deps.clock),
    })
    .execute();
}

/** Writes system notes on both issues about a new link. @param type relation of the first to the second */
export async function writeLinkedNotes(
  deps: Deps,
  db: Db,
  [one, other]: readonly [LinkEnd, LinkEnd],
  type: LinkType,
  actorId: number,
): Promise<void> {
  await tell(deps, db, one, other, actorId, WORDS[type]);
  await tell(deps, db, other, one, actorId, WORDS[OPPOSITE[type]]);
}

/** Writes system notes on both issues about a removed link. */
export async function writeUnlinkedNotes(
  deps: Deps,
  db: Db,
  [one, other]: readonly [LinkEnd, LinkEnd],
  actorId: number,
): Promise<void> {
  await tell(deps, db, one, other, actorId, 'removed the relation with');
  await tell(deps, db, other, one, actorId, 'removed the relation with');
}
