import type { Updateable } from 'kysely';
import type { Issue, IssuesTable } from '../../../db/tables/issues.table.ts';
import type { Milestone } from '../../../db/tables/milestones.table.ts';

/** A system note: stable action name and text. */
export type ChangeNote = [action: string, text: string];

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `2026-01-31` as `January 31, 2026`. */
function longDate(day: string): string {
  const [year, month, date] = day.split('-').map(Number);
  return `${MONTHS[month! - 1]} ${date}, ${year}`;
}

type Column = keyof Updateable<IssuesTable> & keyof Issue;

const SEVERITIES: Readonly<Record<Issue['severity'], string>> = {
  UNKNOWN: 'Unknown',
  LOW: 'Low - S4',
  MEDIUM: 'Medium - S3',
  HIGH: 'High - S2',
  CRITICAL: 'Critical - S1',
};

const TEXTS: { [K in Column]?: (now: Issue[K], was: Issue[K]) => ChangeNote } = {
  title: (now, was) => ['title', `changed title from **{-${was}-}** to **{+${now}+}**`],
  description: () => ['description', 'changed the description'],
  confidential: (now) =>
    now === 1 ? ['confidential', 'made the issue confidential'] : ['visible', 'made the issue visible to everyone'],
  discussion_locked: (now) =>
    now === 1
      ? ['locked', 'locked the discussion in this issue']
      : ['unlocked', 'unlocked the discussion in this issue'],
  due_date: (now) => ['due_date', now === null ? 'removed due date' : `changed due date to ${longDate(now)}`],
  weight: (now) => ['weight', now === null ? 'removed the weight' : `changed weight to **${now}**`],
  severity: (now) => ['severity', `changed the severity to **${SEVERITIES[now]}**`],
  health_status: (now) => [
    'health_status',
    now === null ? 'removed the health status' : `changed health status to **${now.replaceAll('_', ' ')}**`,
  ],
  issue_type: (now) => ['issue_type', `changed issue type to ${now}`],
};

const noteOf = <K extends Column>(column: K, now: Issue[K], was: Issue[K]): ChangeNote | undefined =>
  TEXTS[column]?.(now, was);

/** System notes for the changed columns. */
export function changeNotes(before: Issue, after: Issue, changed: readonly Column[]): ChangeNote[] {
  return changed.flatMap((column) => {
    const note = noteOf(column, after[column], before[column]);
    return note === undefined ? [] : [note];
  });
}

export const milestoneNote = (milestone: Milestone | null): ChangeNote =>
  milestone === null ? ['milestone', 'removed milestone'] : ['milestone', `changed milestone to %"${milestone.title}"`];
