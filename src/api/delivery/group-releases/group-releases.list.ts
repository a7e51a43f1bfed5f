import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { readableProjects } from '../../../access/readable-projects.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { countOf, type PageRange } from '../../../db/paginate.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ReadPage } from '../../../http/listing.ts';

/** Maximum number of projects whose releases are merged individually, and of rows for that. */
const FEW_PROJECTS = 50;
const FEW_ROWS = 20_000;

type Readable = (eb: ExpressionBuilder<Schema, 'projects'>) => Expression<SqlBool>;
interface ReleasePageRequest extends PageRange {
  sort: 'asc' | 'desc';
}

/** Reads the releases of a group and its subgroups that the caller may read. */
export const releasesOfGroup =
  (deps: Deps, caller: Caller, group: Namespace, sort: 'asc' | 'desc'): ReadPage<Release[]> =>
  (page) =>
    pageOfGroup(deps, caller, group, { sort, ...page });

async function pageOfGroup(
  { db, clock, snapshot }: Deps,
  caller: Caller,
  group: Namespace,
  pageRequest: ReleasePageRequest,
): Promise<{ rows: Release[]; total: number }> {
  const day = today(clock);
  const scope = { feature: 'releases', level: AccessLevel.guest, below: group.lineage } as const;
  const readable: Readable = (eb) => readableProjects(eb, caller, scope, day);
  const { user, admin } = caller;
  const who = user === null ? 'nobody' : `${admin ? 'admin' : 'user'}${user.id}`;
  const projects = await snapshot.get(`releases:${group.id}:${who}:${day}`, () => projectsOf(db, readable));
  const few = projects.length <= FEW_PROJECTS && (pageRequest.offset + pageRequest.size) * projects.length <= FEW_ROWS;
  const rows = few ? await ofFew(db, projects, pageRequest) : await ofMany(db, readable, pageRequest);
  const all = db
    .selectFrom('releases')
    .select('releases.id')
    .where('project_id', 'in', few ? projects : db.selectFrom('projects').select('projects.id').where(readable));
  return { rows, total: await countOf(db, all) };
}

/** Returns projects with releases; more than `FEW_PROJECTS` if there are more. */
async function projectsOf(db: Db, readable: Readable): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('projects.id')
    .where(readable)
    .where((eb) =>
      eb.exists(eb.selectFrom('releases').select('releases.id').whereRef('releases.project_id', '=', 'projects.id')),
    )
    .limit(FEW_PROJECTS + 1)
    .execute();
  return rows.map(({ id }) => id);
}

/** Merges the releases of a few projects: the first of each by index. */
async function ofFew(
  db: Db,
  projects: readonly number[],
  { sort, offset, size }: ReleasePageRequest,
): Promise<Release[]> {
  const [first, ...others] = projects.map((id) =>
    db
      .selectFrom(
        db
          .selectFrom('releases')
          .select(['releases.id', 'releases.released_at'])
          .where('project_id', '=', id)
          .orderBy('released_at', sort)
          .orderBy('id', sort)
          .limit(offset + size)
          .as('of_project'),
      )
      .selectAll(),
  );
  if (first === undefined) return [];
  const firsts = others.reduce((all, each) => all.unionAll(each), first).as('firsts');
  const page = db
    .selectFrom(firsts)
    .select('firsts.id')
    .orderBy('firsts.released_at', sort)
    .orderBy('firsts.id', sort)
    .limit(size)
    .offset(offset);
  const pageRequest = (await page.execute()).map(({ id }) => id);
  const rows = await db.selectFrom('releases').selectAll().where('id', 'in', pageRequest).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return pageRequest.flatMap((id) => byId.get(id) ?? []);
}

/** Walks all releases in index order, checking the project of each. */
const ofMany = (db: Db, readable: Readable, { sort, offset, size }: ReleasePageRequest): Promise<Release[]> =>
  db
    .selectFrom('releases')
    .selectAll()
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('projects')
          .select('projects.id')
          .whereRef('projects.id', '=', 'releases.project_id')
          .where(() => readable(expressionBuilder<Schema, 'projects'>())),
      ),
    )
    .orderBy('released_at', sort)
    .orderBy('id', sort)
    .limit(size)
    .offset(offset)
    .execute();
