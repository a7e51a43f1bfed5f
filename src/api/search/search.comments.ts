import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { isProjectOf } from '../../access/access.membership.ts';
import { readableSnippets } from '../../access/access.snippets.ts';
import type { Caller } from '../../access/caller.ts';
import { readableProjects } from '../../access/readable-projects.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import { pluck } from '../../core/pluck.ts';
import type { Schema } from '../../db/db.schema.ts';
import { containsWords, startsWith } from '../../db/like.ts';
import type { PageRange } from '../../db/paginate.ts';
import { rowsById } from '../../db/rows-by-id.ts';
import type { Note as NoteRow } from '../../db/tables/notes.table.ts';
import type { Deps } from '../../deps.ts';
import { type Listing, uncountedPage } from '../../http/listing.ts';
import { usersById } from '../identity/index.ts';
import { type Note, presentNote, presentSuggestions, visibleIssues, visibleMergeRequests } from '../planning/index.ts';
import { type ProjectsFilter, projectsFilter, type Search } from './search.place.ts';

/** Number of notes searched, the most recent ones; system notes are among them, but not found. */
const MAX_NOTES = 10_000;
/** Number of notes compared by one query. */
const NOTES_AT_ONCE = 1_000;

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

/** Condition on `notes`: of the place. @param column their `project_id`; an expression keeps its index from being used */
function inPlace(search: Search, column: Expression<number | null>): Expression<SqlBool>[] {
  const { place } = search;
  const { below } = projectsFilter(search);
  if (place.kind === 'project') return [sql<SqlBool>`${column} = ${place.project.id}`];
  if (below === undefined) return [];
  const projects = expressionBuilder<Schema, never>()
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where((eb) => startsWith(eb, eb.ref('namespaces.lineage'), below));
  return [sql<SqlBool>`${column} in ${projects}`];
}

/** The most recent notes of the place, the newest first. */
async function recentNotes(search: Search): Promise<number[]> {
  const rows = await search.c.deps.db
    .selectFrom('notes')
    .select('id')
    .where((eb) => eb.and(inPlace(search, eb.ref('project_id'))))
    .orderBy('id', 'desc')
    .limit(MAX_NOTES)
    .execute();
  return pluck(rows, 'id');
}

/**
 * Reads a page of the comments that a search finds, in the order in which they were written. Reads a few at a time:
 * comparing texts takes the thread of an embedded database.
 */
export async function readComments(search: Search, { offset, size }: PageRange): Promise<Listing<NoteRow[]>> {
  const { c, caller, input } = search;
  const visible = visibleComments(caller, today(c.deps.clock), projectsFilter(search));
  const direction = input.sort ?? 'desc';
  const ids = await recentNotes(search);
  if (direction === 'asc') ids.reverse();
  const found: NoteRow[] = [];
  for (let at = 0; at < ids.length && found.length <= offset + size; at += NOTES_AT_ONCE) {
    if (at > 0) await nextTurn();
    c.signal.throwIfAborted();
    const last = Math.min(at + NOTES_AT_ONCE, ids.length) - 1;
    let query = c.deps.db
      .selectFrom('notes')
      .selectAll('notes')
      .where('notes.id', '>=', Math.min(ids[at]!, ids[last]!))
      .where('notes.id', '<=', Math.max(ids[at]!, ids[last]!))
      .where('notes.system', '=', 0)
      .where((eb) => eb.and(inPlace(search, sql<number>`${eb.ref('notes.project_id')} + 0`)))
      .where(visible);
    if (input.search.trim() !== '') {
      query = query.where((eb) => containsWords([eb.ref('notes.note')], input.search));
    }
    found.push(...(await query.orderBy('notes.id', direction).execute()));
  }
  return uncountedPage(found.slice(offset), size);
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
  const suggestions = await presentSuggestions(deps, notes);
  return notes.flatMap((note) => {
    // Deleted since the note was read.
    if (!users.has(note.author_id)) return [];
    const iid = numbers[note.noteable_type]?.get(note.noteable_id ?? 0)?.iid ?? null;
    return presentNote(deps, { iid }, note, users, suggestions);
  });
}
