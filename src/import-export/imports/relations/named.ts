import { sql } from 'kysely';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import {
  coerceDay,
  coerceInteger,
  coerceObjects,
  coerceOneOf,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  isImportedObject,
  requireText,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { dates } from './rows.ts';

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const DEFAULT_COLOR = '#428bca';

/** Column with the name. */
const TITLE = { labels: 'name', milestones: 'title' } as const;

const own = ({ place }: ImportContext) => ({
  project_id: place.kind === 'project' ? place.id : null,
  group_id: place.kind === 'group' ? place.id : null,
});

/** Ids of the available labels or milestones, by name: own ones take precedence over those of groups. */
export async function idsByName(
  { place }: ImportContext,
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

async function writeLabel(context: ImportContext, db: Db, object: ImportedObject): Promise<number> {
  const color = coerceText(object.color, 7) ?? '';
  const { id } = await db
    .insertInto('labels')
    .values({
      ...own(context),
      name: requireText(object.title, 'title'),
      color: COLOR.test(color) ? color : DEFAULT_COLOR,
      description: coerceText(object.description),
      archived: object.archived === true ? 1 : 0,
      ...dates(context, object),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const priority = coerceInteger(coerceObjects(object.priorities)[0]?.priority);
  if (context.place.kind === 'project' && priority !== null) {
    await db.insertInto('label_priorities').values({ label_id: id, project_id: context.place.id, priority }).execute();
  }
  return id;
}

async function writeMilestone(context: ImportContext, db: Db, object: ImportedObject): Promise<number> {
  const { kind, id: source_id } = context.place;
  const objects = coerceInteger(object.iid, 1);
  const taken =
    objects === null
      ? undefined
      : await db
          .selectFrom('milestones')
          .select('id')
          .where(`${kind}_id`, '=', source_id)
          .where('iid', '=', objects)
          .executeTakeFirst();
  const scope = { source_type: kind, source_id, usage: 'milestones' } as const;
  const { id } = await db
    .insertInto('milestones')
    .values({
      ...own(context),
      iid: await nextIid(db, scope, taken === undefined ? (objects ?? undefined) : undefined),
      title: requireText(object.title, 'title'),
      description: coerceText(object.description) ?? '',
      state: coerceOneOf(object.state, ['active', 'closed']),
      start_date: coerceDay(object.start_date),
      due_date: coerceDay(object.due_date),
      ...dates(context, object),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const ONE = { labels: writeLabel, milestones: writeMilestone } as const;

/** Imports labels or milestones; existing ones stay as they are. */
export const namedWriter = (table: 'labels' | 'milestones'): RelationWriter => ({
  batchSize: 100,
  async write(context, db, object) {
    const known = await db
      .selectFrom(table)
      .select(sql.ref<string>(TITLE[table]).as('called'))
      .where(`${context.place.kind}_id`, '=', context.place.id)
      .where(
        sql.ref<string>(TITLE[table]),
        'in',
        object.map(({ title }) => String(title)),
      )
      .execute();
    const there = new Set(known.map(({ called }) => called));
    for (const each of object) {
      const title = requireText(each.title, 'title');
      if (there.has(title)) continue;
      there.add(title);
      await ONE[table](context, db, each);
    }
  },
});

/**
 * Ids of labels or milestones by title; creates missing ones in the destination.
 * @throws InvalidImportObject if a title is missing
 */
export async function idsFor(
  context: ImportContext,
  db: Db,
  table: 'labels' | 'milestones',
  objects: readonly ImportedObject[],
): Promise<Map<string, number>> {
  const ids = await idsByName(
    context,
    db,
    table,
    objects.map(({ title }) => requireText(title, 'title')),
  );
  for (const each of objects) {
    const title = requireText(each.title, 'title');
    if (!ids.has(title)) ids.set(title, await ONE[table](context, db, each));
  }
  return ids;
}

/** Imports badges. */
export const badgeWriter: RelationWriter = {
  batchSize: 100,
  async write(context, db, object) {
    const url = (value: unknown) => {
      const address = requireText(value, 'address', 2_048);
      if (!/^https?:\/\//i.test(address)) throw new InvalidImportObject('the URL of a badge is not HTTP or HTTPS');
      return address;
    };
    await db
      .insertInto('badges')
      .values(
        object.map((each) => ({
          ...own(context),
          name: coerceText(each.name, 255),
          link_url: url(each.link_url),
          image_url: url(each.image_url),
          ...dates(context, each),
        })),
      )
      .execute();
  },
};

/** Label objects of `label_links`. */
export const labelsIn = (object: ImportedObject): ImportedObject[] =>
  coerceObjects(object.label_links).flatMap(({ label }) => (isImportedObject(label) ? [label] : []));
