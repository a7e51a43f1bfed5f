import type { ProjectAbility } from '../../../access/access.abilities.ts';
import { canReadSnippet } from '../../../access/access.snippets.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { type ProjectContext, projectContextOf } from '../recipients/project-context.ts';
import type { MayRead } from '../recipients/recipients.readers.ts';

/** The topic of a mail, as stored in jobs: its readers are determined again whenever needed. */
export type Topic =
  /** `noteIds`: comments that the mail contains. */
  | { type: IssuableType | 'Snippet'; id: number; noteIds?: readonly number[] }
  | { type: 'Commit'; projectId: number; noteIds: readonly number[] }
  | { type: 'Project'; id: number; ability: ProjectAbility };

/** Project and readers of a topic. */
export interface TopicContext {
  place: ProjectContext;
  mayRead: MayRead;
}

/** Loads a topic; undefined if it no longer exists. */
export async function topicContextOf(deps: Deps, topic: Topic): Promise<TopicContext | undefined> {
  const notes = 'noteIds' in topic ? await notesOf(deps, topic.noteIds ?? []) : [];
  if ('noteIds' in topic && notes.length < (topic.noteIds?.length ?? 0)) return undefined;
  const context = await ofItself(deps, topic);
  if (context === undefined || notes.every(({ internal }) => internal === 0)) return context;
  const { place, mayRead } = context;
  return {
    place,
    mayRead: (reader, permissions) => permissions.can('read_internal_note') && mayRead(reader, permissions),
  };
}

async function ofItself(deps: Deps, topic: Topic): Promise<TopicContext | undefined> {
  switch (topic.type) {
    case 'Issue':
      return ofIssue(deps, topic.id);
    case 'MergeRequest':
      return ofMergeRequest(deps, topic.id);
    case 'Snippet':
      return ofSnippet(deps, topic.id);
    case 'Commit':
      return within(deps, topic.projectId, (_reader, permissions) => permissions.can('read_code'));
    case 'Project':
      return within(deps, topic.id, (_reader, permissions) => permissions.can(topic.ability));
  }
}

async function within({ db }: Deps, projectId: number, mayRead: MayRead): Promise<TopicContext | undefined> {
  const place = await projectContextOf(db, projectId);
  return place && { place, mayRead };
}

const notesOf = async ({ db }: Deps, ids: readonly number[]): Promise<Pick<Note, 'id' | 'internal'>[]> =>
  ids.length === 0 ? [] : db.selectFrom('notes').select(['id', 'internal']).where('id', 'in', ids).execute();

/** Confidential issues are readable by Planners and above, author and assignees. */
async function ofIssue(deps: Deps, id: number): Promise<TopicContext | undefined> {
  const issue = await deps.db
    .selectFrom('issues')
    .select(['project_id', 'confidential', 'author_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (issue === undefined) return undefined;
  const own = issue.confidential === 0 ? [] : [issue.author_id, ...(await assigneesOf(deps, 'Issue', id))];
  return within(deps, issue.project_id, ({ user }, permissions) => {
    if (!permissions.can('read_issue')) return false;
    return issue.confidential === 0 || permissions.can('read_confidential_issues') || own.includes(user.id);
  });
}

async function ofMergeRequest(deps: Deps, id: number): Promise<TopicContext | undefined> {
  const query = deps.db.selectFrom('merge_requests').select('project_id').where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row && within(deps, row.project_id, (_reader, permissions) => permissions.can('read_merge_request'));
}

async function ofSnippet(deps: Deps, id: number): Promise<TopicContext | undefined> {
  const snippet = await deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  if (snippet === undefined || snippet.project_id === null) return undefined;
  return within(deps, snippet.project_id, (reader, permissions) => canReadSnippet(reader, snippet, permissions));
}

/** Ids of the assignees of an issue or merge request. */
export async function assigneesOf({ db }: Pick<Deps, 'db'>, type: IssuableType, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issuable_assignees')
    .select('user_id')
    .where('issuable_type', '=', type)
    .where('issuable_id', '=', id)
    .orderBy('user_id')
    .execute();
  return rows.map(({ user_id }) => user_id);
}
