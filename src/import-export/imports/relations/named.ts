import { sql } from 'kysely';
import { nextIid } from '../../../db/iids.ts';
import type { Db } from '../../../db/schema.ts';
import type { Importing, Writer } from '../importing.ts';
import { day, filled, type Given, integer, isGiven, objects, oneOf, text, Unfit } from '../take.ts';
import { dates } from './rows.ts';

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const DEFAULT_COLOR = '#428bca';

/** Column by which they are named. */
const TITLE = { labels: 'name', milestones: 'title' } as const;

const own = ({ place }: Importing) => ({
  project_id: place.kind === 'project' ? place.id : null,
  group_id: place.kind === 'group' ? place.id : null,
});

/** Ids of what the place can use, by name: what is its own goes before what is a group's. */
export async function idsByName(
  { place }: Importing,
  db: Db,
  table: 'labels' | 'milestones',
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom(table)
    .select(['id', sql.ref<string>(TITLE[table]).as('called')])
    .where(sql.ref<string>(TITLE[table]), 'in', [...new Set(names)])
    .where((eb) =>
      eb.or([
        eb('group_id', 'in', place.groupIds),
        ...(place.kind === 'project' ? [eb('project_id', '=', place.id)] : []),
      ]),
    )
    .orderBy('project_id', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ id, called }) => [called, id]));
}

async function writeLabel(importing: Importing, db: Db, given: Given): Promise<number> {
  const color = text(given.color, 7) ?? '';
  const { id } = await db
    .insertInto('labels')
    .values({
      ...own(importing),
      name: filled(given.title, 'title'),
      color: COLOR.test(color) ? color : DEFAULT_COLOR,
      description: text(given.description),
      archived: given.archived === true ? 1 : 0,
      ...dates(importing, given),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const priority = integer(objects(given.priorities)[0]?.priority);
  if (importing.place.kind === 'project' && priority !== null) {
    await db
      .insertInto('label_priorities')
      .values({ label_id: id, project_id: importing.place.id, priority })
      .execute();
  }
  return id;
}

async function writeMilestone(importing: Importing, db: Db, given: Given): Promise<number> {
  const { kind, id: source_id } = importing.place;
  const wanted = integer(given.iid, 1);
  const taken =
    wanted === null
      ? undefined
      : await db
          .selectFrom('milestones')
          .select('id')
          .where(`${kind}_id`, '=', source_id)
          .where('iid', '=', wanted)
          .executeTakeFirst();
  const scope = { source_type: kind, source_id, usage: 'milestones' } as const;
  const { id } = await db
    .insertInto('milestones')
    .values({
      ...own(importing),
      iid: await nextIid(db, scope, taken === undefined ? (wanted ?? undefined) : undefined),
      title: filled(given.title, 'title'),
      description: text(given.description) ?? '',
      state: oneOf(given.state, ['active', 'closed']),
      start_date: day(given.start_date),
      due_date: day(given.due_date),
      ...dates(importing, given),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const ONE = { labels: writeLabel, milestones: writeMilestone } as const;

/** Labels or milestones of the place; those that are there already stay as they are. */
export const namedWriter = (table: 'labels' | 'milestones'): Writer => ({
  atOnce: 100,
  async write(importing, db, given) {
    const known = await db
      .selectFrom(table)
      .select(sql.ref<string>(TITLE[table]).as('called'))
      .where(`${importing.place.kind}_id`, '=', importing.place.id)
      .where(
        sql.ref<string>(TITLE[table]),
        'in',
        given.map(({ title }) => String(title)),
      )
      .execute();
    const there = new Set(known.map(({ called }) => called));
    for (const each of given) {
      const title = filled(each.title, 'title');
      if (there.has(title)) continue;
      there.add(title);
      await ONE[table](importing, db, each);
    }
  },
});

/**
 * Ids of labels or milestones that objects name by their titles; what the place cannot use yet is made in it.
 * @throws Unfit for one without a title
 */
export async function idsFor(
  importing: Importing,
  db: Db,
  table: 'labels' | 'milestones',
  wanted: readonly Given[],
): Promise<Map<string, number>> {
  const found = await idsByName(
    importing,
    db,
    table,
    wanted.map(({ title }) => filled(title, 'title')),
  );
  for (const each of wanted) {
    const title = filled(each.title, 'title');
    if (!found.has(title)) found.set(title, await ONE[table](importing, db, each));
  }
  return found;
}

/** Badges of the place. */
export const badgeWriter: Writer = {
  atOnce: 100,
  async write(importing, db, given) {
    const url = (value: unknown) => {
      const found = filled(value, 'address', 2_048);
      if (!/^https?:\/\//i.test(found)) throw new Unfit('the address of a badge is not http or https');
      return found;
    };
    await db
      .insertInto('badges')
      .values(
        given.map((each) => ({
          ...own(importing),
          name: text(each.name, 255),
          link_url: url(each.link_url),
          image_url: url(each.image_url),
          ...dates(importing, each),
        })),
      )
      .execute();
  },
};

/** Label objects of `label_links`. */
export const labelsIn = (given: Given): Given[] =>
  objects(given.label_links).flatMap(({ label }) => (isGiven(label) ? [label] : []));
