import { type RawBuilder, sql } from 'kysely';

/** Milestones with the nearest future due date in their project or group. */
const upcoming = (day: string): RawBuilder<{ id: number }> => sql`
  select m.id from milestones m where m.state = 'active' and m.due_date > ${day} and not exists (
    select 1 from milestones n where n.state = 'active' and n.due_date > ${day} and n.due_date < m.due_date
      and n.project_id = m.project_id)
  and not exists (
    select 1 from milestones n where n.state = 'active' and n.due_date > ${day} and n.due_date < m.due_date
      and n.group_id = m.group_id)`;

/** Milestones that have started and not ended. */
const started = (day: string): RawBuilder<{ id: number }> => sql`
  select m.id from milestones m
  where m.state = 'active' and m.start_date <= ${day} and (m.due_date is null or m.due_date >= ${day})`;

/**
 * The milestones of a filter.
 * @param day today, `YYYY-MM-DD`
 * @returns a query for their ids; `none` for rows without a milestone, `any` for rows with one; null for no filter
 */
export function milestoneOf(
  { milestone, milestone_id }: { milestone?: string; milestone_id?: string },
  day: string,
): RawBuilder<{ id: number }> | 'none' | 'any' | null {
  const filter = milestone_id ?? milestone;
  if (filter === undefined || filter === '') return null;
  switch (filter.toLowerCase()) {
    case 'none':
    case 'no milestone':
      return 'none';
    case 'any':
    case 'any milestone':
      return 'any';
    case 'upcoming':
    case '#upcoming':
      return upcoming(day);
    case 'started':
    case '#started':
      return started(day);
    default:
      return sql`select m.id from milestones m where m.title = ${filter}`;
  }
}
