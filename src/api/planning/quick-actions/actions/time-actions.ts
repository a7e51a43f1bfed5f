import { isNaturalDate } from '../../../../core/natural-dates.ts';
import { humanDuration, parseDuration } from '../../issuables/issuables.durations.ts';
import type { IssuableKind } from '../../issuables/issuables.kind.ts';
import { addSpent, resetSpent, setEstimate } from '../../issuables/issuables.times.ts';
import { ISSUE_KIND } from '../../issues/issues.kind.ts';
import { MERGE_REQUEST_KIND } from '../../merge-requests/views/merge-requests.kind.ts';
import {
  BOTH,
  type Context,
  type ExecutionContext,
  mayManage,
  type QuickAction,
  rowOf,
} from '../quick-actions.action.ts';

const changeOf = ({ deps, scope: { caller }, ...at }: ExecutionContext) => {
  const kind: Pick<IssuableKind, 'type' | 'table' | 'recordUpdate'> =
    at.issue === null ? MERGE_REQUEST_KIND : ISSUE_KIND;
  return { deps, caller, kind, row: rowOf(at)! };
};

const setTo = (seconds: number) => async (at: ExecutionContext) => {
  await setEstimate(changeOf(at), seconds);
  return undefined;
};

const DATE = /(\d{2,4})[/.-](\d{1,2})[/.-](\d{1,2})/;

/** Parses `1h 30m 2026-05-01`: seconds, and the day on which they were spent; null if invalid. */
function spentOf(argument: string, today: string): { seconds: number; day: string | null } | null {
  const [date, year = '', month = '', day = ''] = DATE.exec(argument) ?? [];
  const on = date === undefined ? null : `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (on !== null && (!isNaturalDate(on) || on > today)) return null;
  const seconds = parseDuration(argument.replace(date ?? '', '').replace(/\[timecategory:[^\]]*\]/, ''));
  return seconds === null || seconds === 0 ? null : { seconds, day: on };
}

const hasTime = (c: Context): boolean => rowOf(c) !== null && mayManage(c);

export const timeActions: readonly QuickAction[] = [
  {
    name: 'estimate',
    aliases: ['estimate_time'],
    on: BOTH,
    atCreation: true,
    requiresArgument: true,
    may: mayManage,
    evaluate: (_c, argument) => {
      const seconds = parseDuration(argument);
      if (seconds === null || seconds < 0) return undefined;
      const message = seconds === 0 ? 'Removed time estimate.' : `Set time estimate to ${humanDuration(seconds)}.`;
      return { message, changes: { time_estimate: seconds }, inTransaction: setTo(seconds) };
    },
  },
  {
    name: 'remove_estimate',
    aliases: ['remove_time_estimate'],
    on: BOTH,
    may: hasTime,
    evaluate: () => ({ message: 'Removed time estimate.', changes: { time_estimate: 0 }, inTransaction: setTo(0) }),
  },
  {
    name: 'spend',
    aliases: ['spent', 'spend_time'],
    on: BOTH,
    atCreation: true,
    requiresArgument: true,
    may: mayManage,
    evaluate: ({ deps, scope }, argument) => {
      const now = deps.clock.now();
      const spent = spentOf(argument, now.toISOString().slice(0, 10));
      if (spent === null) return undefined;
      const { seconds, day } = spent;
      const spent_at = day === null ? now.toISOString() : `${day}T12:00:00.000Z`;
      return {
        message: `${seconds > 0 ? 'Added' : 'Subtracted'} ${humanDuration(Math.abs(seconds))} spent time.`,
        changes: { spend_time: { duration: seconds, user_id: scope.caller.user.id, spent_at } },
        inTransaction: async (at) => {
          await addSpent(changeOf(at), seconds, null, spent_at);
          return undefined;
        },
      };
    },
  },
  {
    name: 'remove_time_spent',
    on: BOTH,
    may: hasTime,
    evaluate: ({ scope }) => ({
      message: 'Removed spent time.',
      changes: { spend_time: { duration: 'reset', user_id: scope.caller.user.id } },
      inTransaction: async (at) => {
        await resetSpent(changeOf(at));
        return undefined;
      },
    }),
  },
];
