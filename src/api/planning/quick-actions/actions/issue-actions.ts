import { includesPlan } from '../../../../access/access.plan.ts';
import type { Issue } from '../../../../db/tables/issues.table.ts';
import { labelsFor } from '../../issuables/issuables.labels.ts';
import { BOTH, type Context, ISSUES, mayManage, type QuickAction } from '../quick-actions.action.ts';
import { issuesOf, mergeRequestsOf } from '../quick-actions.references.ts';

const MAX_WEIGHT = 2_147_483_647;
const HEALTH = ['on_track', 'needs_attention', 'at_risk'];
const SEVERITIES: Readonly<Record<string, Issue['severity']>> = {
  unknown: 'UNKNOWN',
  ...{ 4: 'LOW', s4: 'LOW', low: 'LOW' },
  ...{ 3: 'MEDIUM', s3: 'MEDIUM', medium: 'MEDIUM' },
  ...{ 2: 'HIGH', s2: 'HIGH', high: 'HIGH' },
  ...{ 1: 'CRITICAL', s1: 'CRITICAL', critical: 'CRITICAL' },
};
/** Types that issues can be converted to. */
const TYPES = ['issue', 'incident', 'task'] as const;

const weighs = (c: Context): boolean => includesPlan(c.plan, 'premium') && mayManage(c);
const hasHealth = (c: Context): boolean => includesPlan(c.plan, 'ultimate') && mayManage(c);

function typeOf(argument: string): (typeof TYPES)[number] | undefined {
  return TYPES.find((type) => type === argument.toLowerCase());
}

/** Labels and milestone of another issue or merge request of the project. */
async function metadataOf(c: Context, argument: string) {
  const [issue] = await issuesOf(c, argument);
  if (issue !== undefined) return { type: 'Issue', ...issue, row: issue.issue, sign: '#' } as const;
  const [resolved] = await mergeRequestsOf(c, argument);
  return resolved && ({ type: 'MergeRequest', ...resolved, row: resolved.mergeRequest, sign: '!' } as const);
}

export const issueActions: readonly QuickAction[] = [
  {
    name: 'confidential',
    on: ISSUES,
    atCreation: true,
    may: (c) => c.issue === null || (c.issue.confidential === 0 && mayManage(c)),
    evaluate: () => ({ message: 'Made this issue confidential.', update: { confidential: true } }),
  },
  {
    name: 'weight',
    on: ISSUES,
    atCreation: true,
    requiresArgument: true,
    may: weighs,
    evaluate: (_c, argument) => {
      if (!/^\d{1,10}$/.test(argument) || Number(argument) > MAX_WEIGHT) return undefined;
      return { message: `Set weight to ${Number(argument)}.`, update: { weight: Number(argument) } };
    },
  },
  {
    name: 'clear_weight',
    on: ISSUES,
    may: (c) => c.issue !== null && c.issue.weight !== null && weighs(c),
    evaluate: () => ({ message: 'Cleared weight.', update: { weight: null } }),
  },
  {
    name: 'health_status',
    on: ISSUES,
    atCreation: true,
    requiresArgument: true,
    may: hasHealth,
    evaluate: (_c, argument) => {
      const status = argument.toLowerCase().replaceAll(/[\s-]+/g, '_');
      if (!HEALTH.includes(status)) return undefined;
      return { message: `Set health status to ${status}.`, update: { health_status: status } };
    },
  },
  {
    name: 'clear_health_status',
    on: ISSUES,
    may: (c) => c.issue !== null && c.issue.health_status !== null && hasHealth(c),
    evaluate: () => ({ message: 'Cleared health status.', update: { health_status: null } }),
  },
  {
    name: 'severity',
    on: ISSUES,
    atCreation: true,
    requiresArgument: true,
    may: (c) => (c.update.issue_type ?? c.issue?.issue_type) === 'incident' && mayManage(c),
    evaluate: (_c, argument) => {
      const name = argument.toLowerCase();
      const severity = Object.hasOwn(SEVERITIES, name) ? SEVERITIES[name]! : undefined;
      if (severity === undefined) return { message: 'No severity matches the provided parameter' };
      const shown = `${severity[0]}${severity.slice(1).toLowerCase()}`;
      return { message: `Severity updated to ${shown}.`, update: { severity } };
    },
  },
  {
    name: 'promote_to_incident',
    on: ISSUES,
    atCreation: true,
    may: (c) => c.issue?.issue_type !== 'incident' && mayManage(c),
    evaluate: () => ({ message: 'Issue has been promoted to incident.', update: { issue_type: 'incident' } }),
  },
  {
    name: 'promote_to',
    on: ISSUES,
    requiresArgument: true,
    may: (c) => c.issue !== null && mayManage(c),
    evaluate: (c, argument) => {
      const type = typeOf(argument);
      const promotes = { issue: 'incident', task: 'issue' } as const;
      const from = c.issue!.issue_type;
      if (type === undefined || (from !== 'issue' && from !== 'task') || promotes[from] !== type) {
        return { message: 'Failed to promote this work item: Provided type is not supported.' };
      }
      return { message: 'Promoted successfully.', update: { issue_type: type } };
    },
  },
  {
    name: 'type',
    on: ISSUES,
    requiresArgument: true,
    may: (c) => c.issue !== null && mayManage(c),
    evaluate: (c, argument) => {
      const type = typeOf(argument);
      if (type === undefined) return { message: 'Failed to convert this work item: Provided type is not supported.' };
      if (type === c.issue!.issue_type) return { message: 'Failed to convert this work item: Types are the same.' };
      return { message: 'Type changed successfully.', update: { issue_type: type } };
    },
  },
  {
    name: 'copy_metadata',
    on: BOTH,
    atCreation: true,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const from = await metadataOf(c, argument);
      if (from === undefined || from.project.id !== c.scope.project.id) {
        return { message: 'Failed to find work item or merge request' };
      }
      const { row, type } = from;
      const labels = (await labelsFor(c.deps.db, type, [row.id])).get(row.id)!;
      if (labels.length === 0 && row.milestone_id === null) {
        return { message: `${from.sign}${row.iid} has neither labels nor a milestone to copy.` };
      }
      for (const { id, name } of labels) c.labels.set(id, name);
      const added = new Set([...(c.update.add_label_ids ?? []), ...labels.map(({ id }) => id)]);
      return {
        message: `Copied labels and milestone from ${from.sign}${row.iid}.`,
        update: {
          add_label_ids: [...added],
          ...(row.milestone_id === null ? {} : { milestone_id: row.milestone_id }),
        },
      };
    },
  },
];
