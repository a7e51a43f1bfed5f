import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { type ProjectPermissions, projectPermissionsAt } from '../../access/permissions.ts';
import { projectStandings } from '../../access/project-levels.ts';
import { readableSnippets } from '../../access/snippets.ts';
import { today } from '../../core/clock.ts';
import type { Schema } from '../../db/schema.ts';
import type { Deps } from '../../deps.ts';
import { unhiddenIssues } from '../issuables/visible-issues.ts';
import type { Noteable, NoteScope } from './noteable.ts';

/** Projects from which something may be mentioned here; mentions from further ones are not shown. */
const MAX_SOURCES = 500;
const NOBODY = [0];

/**
 * Condition on rows of `notes`: the caller, who may read the noteable, may read them. Internal ones are for Planners
 * and up; what tells that something was mentioned elsewhere is for those who may see that place.
 */
export async function visibleNotes(
  deps: Deps,
  { caller, permissions }: Pick<NoteScope, 'caller' | 'permissions'>,
  noteable: Pick<Noteable, 'type' | 'id'>,
): Promise<Expression<SqlBool>> {
  const eb = expressionBuilder<Schema, 'notes'>();
  const conditions: Expression<SqlBool>[] = [];
  if (!permissions.can('read_internal_note')) conditions.push(eb('notes.internal', '=', 0));
  if (!caller.admin && (noteable.type === 'Issue' || noteable.type === 'MergeRequest')) {
    const sources = await sourcesOf(deps, caller, noteable.type, noteable.id!);
    conditions.push(
      eb.or([
        eb('notes.system_action', 'is', null),
        eb('notes.system_action', '!=', 'cross_reference'),
        eb.exists(visibleReference(caller, sources, today(deps.clock))),
      ]),
    );
  }
  return eb.and(conditions);
}

/** Ids of the projects whose issues (merge requests, code) the caller may read; never empty. */
interface Sources {
  issues: number[];
  /** Those where confidential ones are no secret to him. */
  allIssues: number[];
  mergeRequests: number[];
  code: number[];
}

async function sourcesOf(deps: Deps, caller: Caller, type: 'Issue' | 'MergeRequest', id: number): Promise<Sources> {
  const projects = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('pending_delete', '=', 0)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('cross_references')
        .select('source_project_id')
        .where('target_type', '=', type)
        .where('target_id', '=', id)
        .where('note_id', 'is not', null)
        .where('source_project_id', 'is not', null)
        .$narrowType<{ source_project_id: number }>(),
    )
    .orderBy('id', 'desc')
    .limit(MAX_SOURCES)
    .execute();
  const permissions = new Map<number, ProjectPermissions>();
  if (projects.length > 0) {
    const levels = caller.user === null ? null : await levelsIn(deps, caller.user.id, projects);
    for (const project of projects) {
      permissions.set(project.id, projectPermissionsAt(caller, project, levels?.get(project.id)?.level ?? 0));
    }
  }
  const where = (holds: (permissions: ProjectPermissions) => boolean): number[] => {
    const ids = [...permissions].filter(([, each]) => holds(each)).map(([id]) => id);
    return ids.length === 0 ? NOBODY : ids;
  };
  return {
    issues: where((each) => each.can('read_issue')),
    allIssues: where((each) => each.can('read_confidential_issues')),
    mergeRequests: where((each) => each.can('read_merge_request')),
    code: where((each) => each.can('read_code')),
  };
}

async function levelsIn(deps: Deps, userId: number, projects: readonly { id: number; namespace_id: number }[]) {
  const namespaces = await deps.db
    .selectFrom('namespaces')
    .select(['id', 'lineage', 'owner_id'])
    .where('id', 'in', [...new Set(projects.map(({ namespace_id }) => namespace_id))])
    .execute();
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  return projectStandings(deps.db, userId, projects, byId, today(deps.clock));
}

/** What the note at hand tells of, when it is something that the caller may read. */
function visibleReference(caller: Caller, sources: Sources, day: string) {
  const eb = expressionBuilder<Schema, 'notes' | 'cross_references'>();
  const issue = eb
    .selectFrom('issues')
    .select('issues.id')
    .whereRef('issues.id', '=', 'cross_references.source_id')
    .where('issues.project_id', 'in', sources.issues)
    .where(({ eb, or }) => or([eb('issues.project_id', 'in', sources.allIssues), unhiddenIssues(caller)]));
  const snippet = expressionBuilder<Schema, 'cross_references' | 'snippets'>()
    .selectFrom('snippets')
    .select('snippets.id')
    .whereRef('snippets.id', '=', 'cross_references.source_id')
    .where(readableSnippets(caller, day));
  return eb
    .selectFrom('cross_references')
    .select('cross_references.id')
    .whereRef('cross_references.note_id', '=', 'notes.id')
    .where(({ eb, and, or, exists }) =>
      or([
        and([eb('source_type', '=', 'Issue'), exists(issue)]),
        and([eb('source_type', '=', 'MergeRequest'), eb('source_project_id', 'in', sources.mergeRequests)]),
        and([eb('source_type', '=', 'Commit'), eb('source_project_id', 'in', sources.code)]),
        and([eb('source_type', '=', 'Snippet'), exists(snippet)]),
      ]),
    );
}
