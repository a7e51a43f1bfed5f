import { labelsFor } from '../../issuables/issuables.labels.ts';
import { BOTH, type Context, mayManage, pluralize, type QuickAction, rowOf } from '../quick-actions.action.ts';
import { labelsOf, referencesTo } from '../quick-actions.labels.ts';

/** Current labels of the target. */
async function current(c: Context) {
  const row = rowOf(c);
  if (row === null || c.type === 'Commit') return [];
  return (await labelsFor(c.deps.db, c.type, [row.id])).get(row.id)!;
}

const hasLabels: QuickAction['may'] = async (c) => mayManage(c) && (await current(c)).length > 0;

const idsOf = (labels: readonly { id: number }[]): number[] => labels.map(({ id }) => id);
const unionOf = (before: readonly number[] | undefined, ids: readonly number[]) => [
  ...new Set([...(before ?? []), ...ids]),
];

export const labelActions: readonly QuickAction[] = [
  {
    name: 'label',
    aliases: ['labels'],
    on: BOTH,
    atCreation: true,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const labels = await labelsOf(c, argument);
      if (labels.length === 0) return undefined;
      return {
        message: `Added ${referencesTo(labels)} ${pluralize('label', labels.length)}.`,
        update: { add_label_ids: unionOf(c.update.add_label_ids, idsOf(labels)) },
      };
    },
  },
  {
    name: 'unlabel',
    aliases: ['remove_label'],
    on: BOTH,
    may: hasLabels,
    evaluate: async (c, argument) => {
      if (argument === '') return { message: 'Removed all labels.', update: { label_ids: [] } };
      const labels = await labelsOf(c, argument);
      if (labels.length === 0) return undefined;
      return {
        message: `Removed ${referencesTo(labels)} ${pluralize('label', labels.length)}.`,
        update: { remove_label_ids: unionOf(c.update.remove_label_ids, idsOf(labels)) },
      };
    },
  },
  {
    name: 'relabel',
    on: BOTH,
    requiresArgument: true,
    may: hasLabels,
    evaluate: async (c, argument) => {
      const labels = await labelsOf(c, argument);
      if (labels.length === 0) return undefined;
      return {
        message: `Replaced all labels with ${referencesTo(labels)} ${pluralize('label', labels.length)}.`,
        update: { label_ids: unionOf(c.update.label_ids, idsOf(labels)) },
      };
    },
  },
];
