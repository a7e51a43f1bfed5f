import { lineageIds } from '../../../access/access.membership.ts';
import { timestamp } from '../../../core/clock.ts';
import { type LabelFacts, labelFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import { recordLabels } from '../resource-events/resource-events.record.ts';
import type { IssuableTarget, ValueChange } from './issuables.target.ts';

/** Colour of labels that are created on first use. */
const DEFAULT_COLOR = '#6699cc';
const MAX_NAME = 255;

const labelRows = prepared((db, { type, ids }: { type: IssuableType; ids: readonly number[] }) =>
  db
    .selectFrom('issuable_labels')
    .innerJoin('labels', 'labels.id', 'issuable_labels.label_id')
    .selectAll('labels')
    .select('issuable_labels.issuable_id')
    .where('issuable_type', '=', type)
    .where('issuable_id', 'in', ids)
    .orderBy('labels.name')
    .orderBy('labels.id'),
);

/** Labels by issue or merge request, ordered by name; an empty list for ids without labels. */
export async function labelsFor(db: Db, type: IssuableType, ids: readonly number[]): Promise<Map<number, Label[]>> {
  const labels = new Map<number, Label[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return labels;
  const rows = await labelRows(db, { type, ids });
  for (const { issuable_id, ...label } of rows) labels.get(issuable_id)!.push(label);
  return labels;
}

type LabelTarget = Omit<IssuableTarget, 'namespace'> & { namespace: Pick<IssuableTarget['namespace'], 'lineage'> };

/** Requested change: the whole set, or labels to add and remove. Names are trimmed; blank ones are ignored. */
export interface LabelChange {
  labels?: readonly string[] | undefined;
  add?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
}

const tidy = (names: readonly string[]): string[] => [...new Set(names.map((name) => name.trim()))].filter(Boolean);

/** Labels of the project and its ancestor groups by name; the nearest one if several have the same name. */
export async function findLabels(
  db: Db,
  { project, namespace }: Pick<LabelTarget, 'project' | 'namespace'>,
  names: readonly string[],
) {
  if (names.length === 0) return new Map<string, Label>();
  const groups = lineageIds(namespace.lineage);
  const rows = await db
    .selectFrom('labels')
    .selectAll()
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('project_id', '=', project.id), eb('group_id', 'in', groups)]))
    .execute();
  const nearness = (label: Label) => (label.group_id === null ? groups.length : groups.indexOf(label.group_id));
  rows.sort((a, b) => nearness(a) - nearness(b));
  return new Map(rows.map((label) => [label.name, label]));
}

/** The named labels; unknown ones are created in the project, or ignored. */
async function takeLabels(deps: Deps, db: Db, target: LabelTarget, names: readonly string[], mayCreate: boolean) {
  const known = await findLabels(db, target, names);
  const missing = names.filter((name) => !known.has(name) && name.length <= MAX_NAME && !name.includes(','));
  if (mayCreate && missing.length > 0) {
    const now = timestamp(deps.clock);
    const base = { project_id: target.project.id, group_id: null, color: DEFAULT_COLOR, description: null };
    await db
      .insertInto('labels')
      .values(missing.map((name) => ({ ...base, name, created_at: now, updated_at: now })))
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
      .execute();
    for (const [name, label] of await findLabels(db, target, missing)) known.set(name, label);
  }
  return [...known.values()];
}

const mention = (labels: readonly Label[]): string =>
  `${labels.map(({ id }) => `~${id}`).join(' ')} ${labels.length === 1 ? 'label' : 'labels'}`;

/**
 * Changes the labels of an issue or merge request within a transaction, with a system note.
 * @param actor `mayCreate`: whether unknown labels are created in the project
 * @returns label names before and after, for the event; null if nothing changed
 */
export async function changeLabels(
  deps: Deps,
  db: Db,
  target: LabelTarget,
  change: LabelChange,
  actor: { userId: number; mayCreate: boolean },
): Promise<ValueChange<LabelFacts[]>> {
  const before = (await labelsFor(db, target.type, [target.id])).get(target.id)!;
  const removed = new Set(tidy(change.remove ?? []));
  const filter = tidy([...(change.labels ?? before.map(({ name }) => name)), ...(change.add ?? [])]);
  const missing = filter.filter((name) => !removed.has(name) && !before.some((label) => label.name === name));
  const remaining = before.filter(({ name }) => filter.includes(name) && !removed.has(name));
  const gone = before.filter((label) => !remaining.includes(label));
  const taken = await takeLabels(deps, db, target, missing, actor.mayCreate);
  if (taken.length === 0 && gone.length === 0) return null;
  const key = { issuable_type: target.type, issuable_id: target.id };
  for (const { id } of gone) {
    await db
      .deleteFrom('issuable_labels')
      .where('issuable_type', '=', key.issuable_type)
      .where('issuable_id', '=', key.issuable_id)
      .where('label_id', '=', id)
      .execute();
  }
  if (taken.length > 0) {
    const rows = taken.map(({ id }) => ({ ...key, label_id: id, project_id: target.project.id }));
    await db
      .insertInto('issuable_labels')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const parts = [
    ...(taken.length > 0 ? [`added ${mention(taken)}`] : []),
    ...(gone.length > 0 ? [`removed ${mention(gone)}`] : []),
  ];
  const about = { type: target.type, id: target.id, projectId: target.project.id };
  await writeSystemNote(deps, db, about, actor.userId, 'label', parts.join(' and '));
  await recordLabels(deps, db, about, actor.userId, { added: taken, removed: gone });
  const factsOf = (labels: readonly Label[]) =>
    labels.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((label) => labelFacts(label));
  return [factsOf(before), factsOf([...remaining, ...taken])];
}
