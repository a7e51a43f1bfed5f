import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { today } from '../core/clock.ts';
import type { Schema } from '../db/db.schema.ts';
import type { IssuableType } from '../db/tables/tables.kinds.ts';
import type { Deps } from '../deps.ts';
import type { ProjectAbility } from './access.abilities.ts';
import { readableSnippets } from './access.snippets.ts';
import type { Caller } from './caller.ts';
import { nonConfidentialIssues } from './confidential-issues.ts';
import { type ProjectPermissions, projectPermissionsAt } from './permissions.ts';
import { projectLevelsOf } from './project-levels.ts';
import { atLevel } from './role-permissions.ts';

/** Kinds of system notes that may refer to another object: a mention, or what closed the issue. */
const REFERRING = ['cross_reference', 'closed'];

/** Number of source projects considered; mentions from further ones are hidden. */
const MAX_SOURCES = 500;

/**
 * Condition on the notes of issues or merge requests that hides mentions and closings from places the caller may not
 * see.
 * @param ids ids of the issues or merge requests, which the caller may read
 */
export async function visibleReferences(
  deps: Deps,
  caller: Caller,
  type: IssuableType,
  ids: readonly number[],
): Promise<Expression<SqlBool>> {
  const eb = expressionBuilder<Schema, 'notes'>();
  if (caller.admin || ids.length === 0) return eb.lit(true);
  const ways = visibleSources(deps, caller, await sourcesOf(deps, caller, type, ids));
  const other = eb.or([eb('notes.system_action', 'is', null), eb('notes.system_action', 'not in', REFERRING)]);
  const closedByHand = eb.and([eb('notes.system_action', '=', 'closed'), eb.not(eb.exists(referenceFrom()))]);
  const seen = ways.length === 0 ? [] : [eb.exists(referenceFrom(ways))];
  return eb.or([other, closedByHand, ...seen]);
}

/** Sources of mentions that the caller may see: lists of project ids. */
interface Sources {
  issues: number[];
  /** Projects whose confidential issues the caller may see as well. */
  allIssues: number[];
  mergeRequests: number[];
  code: number[];
  /** Whether there are snippets among the sources. */
  snippets: boolean;
}

async function sourcesOf(deps: Deps, caller: Caller, type: IssuableType, ids: readonly number[]): Promise<Sources> {
  const named = await deps.db
    .selectFrom('cross_references')
    .select(['source_type', 'source_project_id'])
    .distinct()
    .where('target_type', '=', type)
    .where('target_id', 'in', ids)
    .where('note_id', 'is not', null)
    .orderBy('source_project_id', 'desc')
    .limit(MAX_SOURCES)
    .execute();
  const permissions = await permissionsIn(
    deps,
    caller,
    named.flatMap(({ source_project_id }) => source_project_id ?? []),
  );
  const where = (source: (typeof named)[number]['source_type'], ability: ProjectAbility): number[] =>
    named.flatMap(({ source_type, source_project_id: id }) =>
      source_type === source && id !== null && permissions.get(id)?.can(ability) === true ? id : [],
    );
  return {
    issues: where('Issue', 'read_issue'),
    allIssues: where('Issue', 'read_confidential_issues'),
    mergeRequests: where('MergeRequest', 'read_merge_request'),
    code: where('Commit', 'read_code'),
    snippets: named.some(({ source_type }) => source_type === 'Snippet'),
  };
}

/** Permissions of the caller in each of the projects, in three queries. */
async function permissionsIn(
  deps: Deps,
  caller: Caller,
  ids: readonly number[],
): Promise<Map<number, ProjectPermissions>> {
  if (ids.length === 0) return new Map();
  const query = deps.db.selectFrom('projects').selectAll().where('pending_delete', '=', 0);
  const projects = await query.where('id', 'in', [...new Set(ids)]).execute();
  const { user } = caller;
  const standings = user === null ? null : await projectLevelsOf(deps.db, user.id, projects, today(deps.clock));
  return new Map(
    projects.map((each) => [each.id, projectPermissionsAt(caller, each, standings?.get(each.id) ?? atLevel(0))]),
  );
}

/** Conditions on `cross_references`: the caller may see the source if any of them holds. */
function visibleSources(deps: Deps, caller: Caller, sources: Sources): Expression<SqlBool>[] {
  const eb = expressionBuilder<Schema, 'cross_references'>();
  const ways: Expression<SqlBool>[] = [];
  if (sources.issues.length > 0) {
    const unhidden = nonConfidentialIssues(caller);
    const issue = eb
      .selectFrom('issues')
      .select('issues.id')
      .whereRef('issues.id', '=', 'cross_references.source_id')
      .where('issues.project_id', 'in', sources.issues)
      .where(({ eb, or }) =>
        sources.allIssues.length === 0 ? unhidden : or([eb('issues.project_id', 'in', sources.allIssues), unhidden]),
      );
    ways.push(eb.and([eb('source_type', '=', 'Issue'), eb.exists(issue)]));
  }
  if (sources.mergeRequests.length > 0) {
    const there = eb('source_project_id', 'in', sources.mergeRequests);
    ways.push(eb.and([eb('source_type', '=', 'MergeRequest'), there]));
  }
  if (sources.code.length > 0) {
    ways.push(eb.and([eb('source_type', '=', 'Commit'), eb('source_project_id', 'in', sources.code)]));
  }
  if (sources.snippets) {
    const snippet = eb
      .selectFrom('snippets')
      .select('snippets.id')
      .whereRef('snippets.id', '=', 'cross_references.source_id')
      .where((inner) => readableSnippets(caller, today(deps.clock))(inner));
    ways.push(eb.and([eb('source_type', '=', 'Snippet'), eb.exists(snippet)]));
  }
  return ways;
}

const referenceFrom = (ways?: readonly Expression<SqlBool>[]) =>
  expressionBuilder<Schema, 'notes'>()
    .selectFrom('cross_references')
    .select('cross_references.id')
    .whereRef('cross_references.note_id', '=', 'notes.id')
    .where(({ lit, or }) => (ways === undefined ? lit(true) : or(ways)));
