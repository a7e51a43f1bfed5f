import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { contains, equalsIgnoringCase } from '../../../db/like.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { type IssuableFilters, numberNoneAny } from './issuables.filter-inputs.ts';
import { milestoneOf } from './milestone-filter.ts';

export type IssuableTable = 'issues' | 'merge_requests';
export type Ids = RawBuilder<{ id: number }>;

/** Conditions of a filtered list. */
export interface Narrowing {
  conditions: Expression<SqlBool>[];
  /** Queries for ids, each served by an index, that contain all matches: starting from one of them may be fastest. */
  sources: Ids[];
}

const NOTHING = sql<SqlBool>`1 = 0`;
const MAX_SEARCH_WORDS = 20;
const TYPES: Record<IssuableTable, IssuableType> = { issues: 'Issue', merge_requests: 'MergeRequest' };

/** Collects the conditions of one list. */
class Filter {
  readonly table: IssuableTable;
  readonly type: IssuableType;
  readonly caller: Caller;
  readonly day: string;
  readonly conditions: Expression<SqlBool>[] = [];
  readonly sources: Ids[] = [];

  constructor(table: IssuableTable, caller: Caller, day: string) {
    this.table = table;
    this.type = TYPES[table];
    this.caller = caller;
    this.day = day;
  }

  column<T>(name: string): RawBuilder<T> {
    return sql<T>`${sql.ref(`${this.table}.${name}`)}`;
  }

  add(condition: Expression<SqlBool>, negate = false): void {
    this.conditions.push(negate ? sql<SqlBool>`not (${condition})` : condition);
  }

  /** Rows whose column has one of the values; nulls match the negation only. */
  oneOf(name: string, ids: readonly number[] | Ids, negate: boolean): void {
    const column = this.column(name);
    if (Array.isArray(ids) && ids.length === 0) {
      if (!negate) this.add(NOTHING);
      return;
    }
    const list = Array.isArray(ids) ? sql`(${sql.join(ids)})` : sql`(${ids})`;
    if (negate) this.add(sql<SqlBool>`(${column} is null or ${column} not in ${list})`);
    else {
      this.add(sql<SqlBool>`${column} in ${list}`);
      this.sources.push(sql`select ${this.column('id')} from ${sql.table(this.table)} where ${column} in ${list}`);
    }
  }

  /** Rows with a matching row in a related table. @param where condition on that table, which has the alias `about` */
  having(about: { table: string; key: string }, where: Expression<SqlBool>, negate = false): void {
    const type = sql.ref(`about.${about.key}_type`);
    const id = sql.ref(`about.${about.key}_id`);
    const from = sql`${sql.table(about.table)} as about`;
    this.add(
      sql<SqlBool>`exists (select 1 from ${from} where ${type} = ${this.type} and ${id} = ${this.column('id')} and ${where})`,
      negate,
    );
    if (!negate)
      this.sources.push(sql`select distinct ${id} as id from ${from} where ${type} = ${this.type} and ${where}`);
  }
}

const LABELS = { table: 'issuable_labels', key: 'issuable' };
const ASSIGNEES = { table: 'issuable_assignees', key: 'issuable' };
const EMOJI = { table: 'award_emoji', key: 'awardable' };
const EVERY = sql<SqlBool>`1 = 1`;

const isWord = (value: string, word: string): boolean => value.toLowerCase() === word;

function byLabels(filter: Filter, labels: readonly string[] | undefined, negate: boolean): void {
  if (labels === undefined || labels.length === 0) return;
  const word = labels.length === 1 ? labels[0]!.toLowerCase() : '';
  if (word === 'none' || word === 'any') {
    filter.having(LABELS, EVERY, (word === 'none') !== negate);
    return;
  }
  for (const name of labels) {
    const named = sql<SqlBool>`about.label_id in (select labels.id from labels where labels.name = ${name})`;
    filter.having(LABELS, named, negate);
  }
}

function byReaction(filter: Filter, name: string | undefined, negate: boolean): void {
  if (name === undefined) return;
  const { user } = filter.caller;
  const mine = sql<SqlBool>`about.user_id = ${user?.id ?? 0}`;
  if (isWord(name, 'none')) filter.having(EMOJI, mine, !negate);
  else if (isWord(name, 'any')) filter.having(EMOJI, mine, negate);
  else filter.having(EMOJI, sql<SqlBool>`${mine} and about.name = ${name}`, negate);
}

const assigned = (id: number) => sql<SqlBool>`about.user_id = ${id}`;

/** User ids by user name; unknown names are left out. */
async function idsOf(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const name of names) {
    const user = await db
      .selectFrom('users')
      .select('id')
      .where((eb) => equalsIgnoringCase(eb.ref('username'), name))
      .executeTakeFirst();
    if (user !== undefined) ids.set(name, user.id);
  }
  return ids;
}

type PeopleFilters = Pick<IssuableFilters, 'author_id' | 'author_username' | 'assignee_username'> & {
  assignee_id?: string | number;
};

async function byPeople(db: Db, filter: Filter, people: PeopleFilters, negate: boolean): Promise<void> {
  const { author_id, author_username, assignee_id, assignee_username = [] } = people;
  if (author_id !== undefined) filter.oneOf('author_id', [author_id], negate);
  if (author_username !== undefined) {
    filter.oneOf('author_id', [...(await idsOf(db, [author_username])).values()], negate);
  }
  if (assignee_id !== undefined) {
    const id = numberNoneAny(String(assignee_id));
    if (typeof id === 'number' && id !== 0) filter.having(ASSIGNEES, assigned(id), negate);
    else filter.having(ASSIGNEES, EVERY, (id !== 'any') !== negate);
  }
  const ids = await idsOf(db, assignee_username);
  for (const name of assignee_username) {
    const id = ids.get(name);
    if (id !== undefined) filter.having(ASSIGNEES, assigned(id), negate);
    else if (!negate) filter.add(NOTHING);
  }
}

function byScope(filter: Filter, scope: string | undefined): void {
  const id = filter.caller.user?.id ?? 0;
  const word = scope?.replace(/-/g, '_');
  if (word === 'created_by_me') filter.oneOf('author_id', [id], false);
  if (word === 'assigned_to_me') filter.having(ASSIGNEES, assigned(id));
}

function byText(filter: Filter, { search = '', in: places = [] }: IssuableFilters): void {
  const words = search.split(/\s+/).filter(Boolean).slice(0, MAX_SEARCH_WORDS);
  const columns = places.length === 0 ? ['title', 'description'] : places;
  for (const word of words) {
    const hits = columns.map((name) => contains(filter.column(name), word));
    filter.add(sql<SqlBool>`(${sql.join(hits, sql` or `)})`);
  }
}

function byTimes(filter: Filter, filters: IssuableFilters): void {
  for (const name of ['created', 'updated'] as const) {
    const column = filter.column(`${name}_at`);
    const { [`${name}_after` as const]: after, [`${name}_before` as const]: before } = filters;
    if (after !== undefined) filter.add(sql<SqlBool>`${column} >= ${after}`);
    if (before !== undefined) filter.add(sql<SqlBool>`${column} <= ${before}`);
  }
}

/** Builds the conditions of the common filters of issues and merge requests. */
export async function narrow(
  deps: Deps,
  caller: Caller,
  table: IssuableTable,
  filters: IssuableFilters,
): Promise<Narrowing> {
  const filter = new Filter(table, caller, today(deps.clock));
  for (const [people, negate] of [[filters, false] as const, [filters.not ?? {}, true] as const]) {
    if (people.iids !== undefined && people.iids.length > 0) {
      const iids = sql<SqlBool>`${filter.column('iid')} in (${sql.join(people.iids)})`;
      filter.add(iids, negate);
    }
    byReaction(filter, people.my_reaction_emoji, negate);
    await byPeople(deps.db, filter, people, negate);
    const milestone = milestoneOf(people, filter.day);
    if (milestone !== null) {
      if (typeof milestone !== 'string') filter.oneOf('milestone_id', milestone, negate);
      else filter.add(sql<SqlBool>`${filter.column('milestone_id')} is null`, (milestone === 'any') !== negate);
    }
    byLabels(filter, people.labels, negate);
  }
  byScope(filter, filters.scope);
  byText(filter, filters);
  byTimes(filter, filters);
  return filter;
}
