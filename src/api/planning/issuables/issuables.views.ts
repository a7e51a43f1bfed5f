import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { Label as LabelRow } from '../../../db/tables/labels.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { IssuableColumns } from '../../../db/tables/tables.kinds.ts';
import { presentLabel } from '../labels/labels.views.ts';
import { humanDuration } from './issuables.durations.ts';
import type { LabelList, References, TaskCompletionStatus, TimeStats } from './issuables.responses.ts';

/** Viewpoint for relative references: a project, a group, or none (null). */
export type Viewpoint = { project: Pick<Project, 'id' | 'namespace_id'> } | { groupId: number } | null;

/** @param symbol `#` or `!` */
export function referencesOf(
  symbol: '#' | '!',
  iid: number,
  project: Pick<Project, 'id' | 'namespace_id' | 'path' | 'full_path'>,
  from: Viewpoint,
): Static<typeof References> {
  const short = `${symbol}${iid}`;
  const full = `${project.full_path}${short}`;
  return { short, relative: relativeReference(short, full, project, from), full };
}

function relativeReference(
  short: string,
  full: string,
  project: Pick<Project, 'id' | 'namespace_id' | 'path'>,
  from: Viewpoint,
): string {
  if (from === null) return full;
  if ('project' in from && from.project.id === project.id) return short;
  const namespaceId = 'project' in from ? from.project.namespace_id : from.groupId;
  return namespaceId === project.namespace_id ? `${project.path}${short}` : full;
}

export const timeStatsOf = ({
  time_estimate,
  time_spent,
}: Pick<Selectable<IssuableColumns>, 'time_estimate' | 'time_spent'>): Static<typeof TimeStats> => ({
  time_estimate,
  total_time_spent: time_spent,
  human_time_estimate: humanDuration(time_estimate),
  human_total_time_spent: humanDuration(time_spent),
});

const TASK = /^\s*(?:>\s?)*(?:[-+*]|\d{1,9}[.)])\s+\[([ xX])\]\s/;

const FENCE = /^\s*(`{3,}|~{3,})/;

/** Counts the checklist items of a description, without those in fenced code. */
export function taskCompletion(description: string | null): Static<typeof TaskCompletionStatus> {
  let [count, completed] = [0, 0];
  let fence: string | null = null;
  for (const line of (description ?? '').split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const task = TASK.exec(`${line} `);
    if (task === null) continue;
    count += 1;
    if (task[1] !== ' ') completed += 1;
  }
  return { count, completed_count: completed };
}

export const presentLabels = (labels: readonly LabelRow[], details: boolean): Static<typeof LabelList> =>
  details ? labels.map(presentLabel) : labels.map(({ name }) => name);
