import { findMilestoneFor, findMilestoneOfName } from '../../milestones/milestones.find.ts';
import { BOTH, type Context, mayManage, type QuickAction, rowOf } from '../quick-actions.action.ts';

/** `%"1.0"`, `%1.0` or `1.0`. */
function nameOf(argument: string): string {
  const [, quoted] = /^%?"([^"]{1,255})"/.exec(argument) ?? [];
  return quoted ?? (argument.startsWith('%') ? argument.slice(1).split(/\s/, 1)[0]! : argument).slice(0, 255);
}

async function current({ deps, scope, ...c }: Context) {
  const id = rowOf(c)?.milestone_id ?? null;
  return id === null ? undefined : findMilestoneFor(deps.db, scope.project, scope.namespace, id);
}

export const milestoneActions: readonly QuickAction[] = [
  {
    name: 'milestone',
    on: BOTH,
    atCreation: true,
    requiresArgument: true,
    may: mayManage,
    evaluate: async (c, argument) => {
      const { project, namespace } = c.scope;
      const milestone = await findMilestoneOfName(c.deps.db, project, namespace, nameOf(argument));
      if (milestone === undefined) return { message: 'Failed to set milestone because no milestone was found.' };
      return {
        message: `Set the milestone to %"${milestone.title}".`,
        update: { milestone_id: milestone.id },
      };
    },
  },
  {
    name: 'remove_milestone',
    on: BOTH,
    may: async (c) => mayManage(c) && (await current(c)) !== undefined,
    evaluate: async (c) => ({
      message: `Removed %"${(await current(c))!.title}" milestone.`,
      update: { milestone_id: null },
    }),
  },
];
