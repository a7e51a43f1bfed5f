import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { isProjectOf } from '../../access/access.membership.ts';
import { readableSnippets } from '../../access/access.snippets.ts';
import type { Caller } from '../../access/caller.ts';
import { readableProjects } from '../../access/readable-projects.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Schema } from '../../db/db.schema.ts';
import { containsWords } from '../../db/like.ts';
import { rowsById } from '../../db/rows-by-id.ts';
import type { Note as NoteRow } from '../../db/tables/notes.table.ts';
import type { Deps } from '../../deps.ts';
import { usersById } from '../identity/index.ts';
import { type Note, presentNote, visibleIssues, visibleMergeRequests } from '../planning/index.ts';
import { type ProjectsFilter, projectsFilter, type Search } from './search.place.ts';

/** Number of comments searched, the most recent ones. */
const MAX_COMMENTS = 20_000;

/** Condition on `notes`: a comment of a project on something that the caller may read, and not hidden from them. */
function visibleComments(caller: Caller, day: string, filter: ProjectsFilter): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'notes'>();
  const inProject = (condition: Expression<SqlBool>) =>
    eb.exists(
      eb.selectFrom('projects').select('projects.id').whereRef('projects.id', '=', 'notes.project_id').where(condition),
    );
  const issue = eb.selectFrom('issues').select('issues.id').whereRef('issues.id', '=', 'notes.noteable_id');
  const mergeRequest = eb
    .selectFrom('merge_requests')
    .select('merge_requests.id')
    .whereRef('merge_requests.id', '=', 'notes.noteable_id');
  const snippet = eb.selectFrom('snippets').select('snippets.id').whereRef('snippets.id', '=', 'notes.noteable_id');
  const projects = expressionBuilder<Schema, 'projects'>();
  const code = readableProjects(
    projects,
    caller,
    { feature: 'repository', level: AccessLevel.reporter, ...filter },
    day,
  );
  const snippets = readableProjects(
    projects,
    caller,
    { feature: 'snippets', level: AccessLevel.guest, ...filter },
    day,
  );
  const on = (type: NoteRow['noteable_type'], condition: Expression<SqlBool>) =>
    eb.and([eb('notes.noteable_type', '=', type), condition]);
  const ways = [
    on('Issue', eb.exists(issue.where(() => visibleIssues(caller, day, filter)))),
    on('MergeRequest', eb.exists(mergeRequest.where(() => visibleMergeRequests(caller, day, filter)))),
    on(
      'Snippet',
      eb.and([inProject(snippets), eb.exists(snippet.where((inner) => readableSnippets(caller, day)(inner)))]),
    ),
    on('Commit', inProject(code)),
  ];
  if (caller.admin) return eb.or(ways);
  const member = inProject(isProjectOf(caller.user?.id ?? 0, AccessLevel.planner, day));
  return eb.and([eb.or([eb('notes.internal', '=', 0), member]), eb.or(ways)]);
}

/** Query for the comments that a search finds, the newest ones first. */
export function commentsFound(search: Search) {
  const { c, caller, place, input } = search;
  const filter = projectsFilter(search);
  const recent = c.deps.db
    .selectFrom('notes')
    .selectAll()
    .where('system', '=', 0)
    .$if(place.kind === 'project', (query) =>
      query.where('project_id', '=', place.kind === 'project' ? place.project.id : 0),
    )
    .$if(filter.below !== undefined, (query) =>
      query.where('project_id', 'in', (eb) =>
        eb
          .selectFrom('projects')
          .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
          .select('projects.id')
          .where('namespaces.lineage', '>=', filter.below!)
          .where('namespaces.lineage', '<', `${filter.below}~`),
      ),
    )
    .orderBy('id', 'desc')
    .limit(MAX_COMMENTS);
  const direction = input.sort ?? 'desc';
  return c.deps.db
    .selectFrom(recent.as('notes'))
    .selectAll()
    .where((eb) => (input.search.trim() === '' ? eb.lit(true) : containsWords([eb.ref('notes.note')], input.search)))
    .where(visibleComments(caller, today(c.deps.clock), filter))
    .orderBy('notes.created_at', direction)
    .orderBy('notes.id', direction);
}

/** Presents comments on objects of several kinds. */
export async function presentComments(deps: Deps, notes: readonly NoteRow[]): Promise<Note[]> {
  const idsOf = (type: NoteRow['noteable_type']) =>
    notes.flatMap(({ noteable_type, noteable_id }) => (noteable_type === type ? (noteable_id ?? []) : []));
  const numbers = {
    Issue: await rowsById(deps.db, 'issues', idsOf('Issue'), ['iid']),
    MergeRequest: await rowsById(deps.db, 'merge_requests', idsOf('MergeRequest'), ['iid']),
    Snippet: undefined,
    Commit: undefined,
  };
  const users = await usersById(deps.db, [...pluck(notes, 'author_id'), ...pluck(notes, 'resolved_by_id')]);
  return notes.flatMap((note) => {
    // Deleted since the note was read.
    if (!users.has(note.author_id)) return [];
    const iid = numbers[note.noteable_type]?.get(note.noteable_id ?? 0)?.iid ?? null;
    return presentNote(deps, { iid }, note, users);
  });
}
