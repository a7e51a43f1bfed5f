import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { Rights } from './events.rights.ts';

type Condition = Expression<SqlBool>;

const eb = expressionBuilder<Schema, 'events'>();
// Expressions instead of bare columns, so that the planner does not use an index on them.
const targetType = sql<string>`coalesce(events.target_type, '')`;
const noteableType = sql<string>`coalesce(events.noteable_type, '')`;
const action = sql<string>`(events.action || '')`;
const projectId = sql<number>`(events.project_id + 0)`;

type Subject = 'target_id' | 'noteable_id';

/** Condition: an issue that the caller may read. */
function issueReadable({ user }: Caller, { confidentialIssues }: Rights, subject: Subject): Condition {
  const issue = expressionBuilder<Schema, 'events' | 'issues'>()
    .selectFrom('issues')
    .select('issues.id')
    .whereRef('issues.id', '=', `events.${subject}`);
  if (confidentialIssues) return eb.exists(issue);
  const open = sql<SqlBool>`issues.confidential = 0`;
  if (user === null) return eb.exists(issue.where(open));
  return eb.exists(
    issue.where((inner) =>
      inner.or([
        open,
        inner('issues.author_id', '=', user.id),
        inner.exists(
          inner
            .selectFrom('issuable_assignees')
            .select('issuable_assignees.user_id')
            .where('issuable_assignees.issuable_type', '=', 'Issue')
            .whereRef('issuable_assignees.issuable_id', '=', 'issues.id')
            .where('issuable_assignees.user_id', '=', user.id),
        ),
      ]),
    ),
  );
}

const mergeRequestThere = (subject: Subject): Condition =>
  eb.exists(
    eb.selectFrom('merge_requests').select('merge_requests.id').whereRef('merge_requests.id', '=', `events.${subject}`),
  );

/** Condition: a snippet of the project that the caller may read, like `canReadSnippet`. */
function snippetReadable({ user }: Caller, { member }: Rights, subject: Subject): Condition {
  const snippet = eb.selectFrom('snippets').select('snippets.id').whereRef('snippets.id', '=', `events.${subject}`);
  if (member) return eb.exists(snippet);
  const open = user === null || user.external === 1 ? ['public' as const] : (['public', 'internal'] as const);
  return eb.exists(
    snippet.where((inner) =>
      inner.or([
        inner('snippets.visibility', 'in', open),
        ...(user === null ? [] : [inner('snippets.author_id', '=', user.id)]),
      ]),
    ),
  );
}

/** Condition: an existing, non-internal comment on a target that the caller may read. */
function noteReadable(caller: Caller, rights: Rights): Condition {
  let note = eb.selectFrom('notes').select('notes.id').whereRef('notes.id', '=', 'events.target_id');
  if (!rights.internalNotes) note = note.where('notes.internal', '=', 0);
  const on = (type: string, condition: Condition) => eb.and([eb(noteableType, '=', type), condition]);
  const ways: Condition[] = [];
  if (rights.code) ways.push(eb(noteableType, '=', 'Commit'));
  if (rights.issues) ways.push(on('Issue', issueReadable(caller, rights, 'noteable_id')));
  if (rights.mergeRequests) ways.push(on('MergeRequest', mergeRequestThere('noteable_id')));
  if (rights.snippets) ways.push(on('Snippet', snippetReadable(caller, rights, 'noteable_id')));
  return ways.length === 0 ? eb.lit(false) : eb.and([eb.exists(note), eb.or(ways)]);
}

const milestoneThere = (): Condition =>
  eb.or([
    eb('events.target_id', 'is', null),
    eb.exists(eb.selectFrom('milestones').select('milestones.id').whereRef('milestones.id', '=', 'events.target_id')),
  ]);

/** Condition on `events` of a project: the caller, who has these rights there, may read the target. */
export function readableEvents(caller: Caller, rights: Rights): Condition {
  const of = (type: string, condition: Condition) => eb.and([eb(targetType, '=', type), condition]);
  const ways: Condition[] = [
    rights.code ? eb(targetType, '=', '') : eb.and([eb(targetType, '=', ''), eb(action, '!=', 'pushed')]),
    eb(targetType, '=', 'Project'),
  ];
  if (rights.issues) ways.push(of('Issue', issueReadable(caller, rights, 'target_id')));
  if (rights.mergeRequests) ways.push(of('MergeRequest', mergeRequestThere('target_id')));
  if (rights.milestones) ways.push(of('Milestone', milestoneThere()));
  if (rights.snippets) ways.push(of('Snippet', snippetReadable(caller, rights, 'target_id')));
  if (rights.wikis) ways.push(eb(targetType, '=', 'WikiPage::Meta'));
  ways.push(eb.and([eb(targetType, 'in', ['Note', 'DiffNote', 'DiscussionNote']), noteReadable(caller, rights)]));
  return eb.or(ways);
}

/** As `readableEvents`, for several projects with different rights; entries of other projects never match. */
export function readableEventsIn(caller: Caller, rights: ReadonlyMap<number, Rights>): Condition {
  const alike = new Map<string, { rights: Rights; ids: number[] }>();
  for (const [id, each] of rights) {
    const key = JSON.stringify(each);
    const group = alike.get(key) ?? { rights: each, ids: [] };
    group.ids.push(id);
    alike.set(key, group);
  }
  return eb.or(
    [...alike.values()].map((group) => eb.and([eb(projectId, 'in', group.ids), readableEvents(caller, group.rights)])),
  );
}
