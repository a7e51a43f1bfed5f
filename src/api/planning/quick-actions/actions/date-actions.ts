import { parseNaturalDate } from '../../../../core/natural-dates.ts';
import { ISSUES, mayManage, type QuickAction } from '../quick-actions.action.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2026-01-31` as `Jan 31, 2026`. */
function shortDate(day: string): string {
  const [year, month, date] = day.split('-').map(Number);
  return `${MONTHS[month! - 1]} ${date}, ${year}`;
}

export const dateActions: readonly QuickAction[] = [
  {
    name: 'due',
    on: ISSUES,
    atCreation: true,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const day = await parseNaturalDate(argument, c.deps.clock.now());
      if (day === null) return { message: 'Failed to set due date because the date format is invalid.' };
      return { message: `Set the due date to ${shortDate(day)}.`, update: { due_date: day } };
    },
  },
  {
    name: 'remove_due_date',
    on: ISSUES,
    may: (c) => c.issue !== null && c.issue.due_date !== null && mayManage(c),
    evaluate: () => ({ message: 'Removed the due date.', update: { due_date: null } }),
  },
];
