import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Schema } from '../db/db.schema.ts';
import { rowsById } from '../db/rows-by-id.ts';
import { type FindLinks, linked, type PlacedMention } from './placed-mention.ts';

const ID = /^[1-9]\d{0,14}$/;

/** Condition on labels or milestones of the project of one of the mentions, or of a group above it. */
function isAround(mentions: readonly PlacedMention[]): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'labels'>();
  const projects = [...new Set(mentions.map(({ place }) => place.project.id))];
  const groups = [...new Set(mentions.flatMap(({ place }) => place.groups))];
  return eb.or([eb('project_id', 'in', projects), ...(groups.length === 0 ? [] : [eb('group_id', 'in', groups)])]);
}

/** How far something is from a project: its own is nearest, then the groups from the inside; undefined for others. */
function distance(
  { place: { project, groups } }: PlacedMention,
  row: { project_id: number | null; group_id: number | null },
): number | undefined {
  if (row.project_id === project.id) return 0;
  const at = row.group_id === null ? -1 : groups.lastIndexOf(row.group_id);
  return at === -1 ? undefined : groups.length - at;
}

/** The nearest of the rows that a mention means; at equal distance the first. */
function nearest<Row extends { project_id: number | null; group_id: number | null }>(
  mention: PlacedMention,
  rows: readonly Row[] | undefined,
): Row | undefined {
  const far = (row: Row) => distance(mention, row) ?? Number.POSITIVE_INFINITY;
  return rows?.filter((row) => distance(mention, row) !== undefined).sort((a, b) => far(a) - far(b))[0];
}

const suffixed = (name: string, prefix: string): string => (prefix === '' ? name : `${name} in ${prefix}`);

/** Labels of the project and the groups above it, by name or id. */
export const labelLinks: FindLinks = async (deps, _reader, mentions) => {
  const readable = mentions.filter(({ place }) => place.permissions.can('read_label'));
  if (readable.length === 0) return new Map();
  const names = readable.map(({ value }) => value);
  const ids = names.filter((name) => ID.test(name)).map(Number);
  const rows = await deps.db
    .selectFrom('labels')
    .select(['id', 'name', 'color', 'description', 'project_id', 'group_id'])
    .where((eb) => eb.or([eb('name', 'in', names), ...(ids.length === 0 ? [] : [eb('id', 'in', ids)])]))
    .where(isAround(readable))
    .orderBy('id')
    .execute();
  const byName = Map.groupBy(rows, ({ name }) => name);
  const byId = Map.groupBy(rows, ({ id }) => String(id));
  return linked(readable, (mention) => {
    const label = nearest(mention, byName.get(mention.value)) ?? nearest(mention, byId.get(mention.value));
    if (label === undefined) return undefined;
    const { project } = mention.place;
    return {
      href: `${deps.externalUrl()}/${project.full_path}/-/issues?label_name[]=${encodeURIComponent(label.name)}`,
      title: label.description ?? '',
      text: suffixed(label.name, mention.prefix),
      data: { project: project.id, label: label.id, color: label.color },
    };
  });
};

/** Milestones of the project and the groups above it by title, and those of the project by number. */
export const milestoneLinks: FindLinks = async (deps, _reader, mentions) => {
  const readable = mentions.filter(({ place }) => place.permissions.can('read_milestone'));
  if (readable.length === 0) return new Map();
  const titles = readable.map(({ value }) => value);
  const numbers = titles.filter((title) => /^[1-9]\d{0,8}$/.test(title)).map(Number);
  const rows = await deps.db
    .selectFrom('milestones')
    .select(['id', 'iid', 'title', 'state', 'project_id', 'group_id'])
    .where((eb) => eb.or([eb('title', 'in', titles), ...(numbers.length === 0 ? [] : [eb('iid', 'in', numbers)])]))
    .where(isAround(readable))
    .orderBy('state')
    .orderBy('id')
    .execute();
  const byTitle = Map.groupBy(rows, ({ title }) => title);
  const byNumber = Map.groupBy(rows, ({ iid }) => String(iid));
  const groups = await rowsById(
    deps.db,
    'namespaces',
    rows.map(({ group_id }) => group_id),
    ['full_path'],
  );
  return linked(readable, (mention) => {
    const ofNumber = byNumber.get(mention.value)?.filter(({ project_id }) => project_id !== null);
    const row = nearest(mention, ofNumber) ?? nearest(mention, byTitle.get(mention.value));
    if (row === undefined) return undefined;
    const group = groups.get(row.group_id ?? 0);
    const owner = group === undefined ? mention.place.project.full_path : `groups/${group.full_path}`;
    return {
      href: `${deps.externalUrl()}/${owner}/-/milestones/${row.iid}`,
      title: row.title,
      text: suffixed(`%${row.title}`, mention.prefix),
      data: { project: mention.place.project.id, milestone: row.id },
    };
  });
};
