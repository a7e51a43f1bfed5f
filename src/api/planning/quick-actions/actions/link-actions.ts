import { allowsOn } from '../../../../access/ability-target.ts';
import { ApiError } from '../../../../core/core.errors.ts';
import { issuableTarget } from '../../issuables/issuables.access.ts';
import { linksFrom } from '../../issue-links/issue-links.queries.ts';
import type { LinkType } from '../../issue-links/issue-links.responses.ts';
import { linkIssues, unlinkIssues } from '../../issue-links/issue-links.writes.ts';
import type { ResolvedIssue } from '../../references/references.resolve.ts';
import { type Context, type ExecutionContext, ISSUES, type QuickAction, toSentence } from '../quick-actions.action.ts';
import { issuesOf, referenceTo } from '../quick-actions.references.ts';

async function mayLink({ deps, scope, issue }: Context): Promise<boolean> {
  if (issue === null) return scope.permissions.can('link_issues', { as: 'author' });
  return allowsOn(scope.permissions, 'link_issues', issuableTarget(deps.db, 'Issue', issue, scope.caller.user.id));
}

const NOT_FOUND = 'No matching issue found. Make sure that you are adding a valid issue URL.';

const IS_LINKED: Readonly<Record<LinkType, string>> = {
  relates_to: 'related to this issue',
  blocks: 'blocked by this issue',
  is_blocked_by: 'blocking this issue',
};

/** Message that the other issue is already linked, with advice if the requested relation differs. */
async function alreadyLinked(at: ExecutionContext, other: ResolvedIssue, linkType: LinkType): Promise<string> {
  const links = await linksFrom(at.deps.db, at.issue!.id);
  const type = links.find(({ otherId }) => otherId === other.issue.id)?.type ?? linkType;
  const advice = type === linkType ? '' : ' Unlink it first to change that.';
  return `${referenceTo(at, other)} is already ${IS_LINKED[type]}.${advice}`;
}

/** Links the issue to each of the others. @returns the message */
async function link(at: ExecutionContext, others: readonly ResolvedIssue[], type: LinkType): Promise<string> {
  const linked: string[] = [];
  const refusals = new Set<string>();
  for (const other of others) {
    const input = { target_project_id: other.project.id, target_issue_iid: other.issue.iid, link_type: type };
    try {
      await linkIssues(at.deps, at.scope, at.issue!, input);
      linked.push(referenceTo(at, other));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409) refusals.add(await alreadyLinked(at, other, type));
      else refusals.add(error.message.endsWith('.') ? error.message : `${error.message}.`);
    }
  }
  const messages = linked.length === 0 ? [] : [linkedMessage(toSentence(linked), type)];
  return [...messages, ...refusals].join(' ');
}

const linkedMessage = (others: string, type: LinkType): string =>
  `Added ${others} as a linked item ${IS_LINKED[type]}.`;

const linking = (name: string, type: LinkType): QuickAction => ({
  name,
  on: ISSUES,
  atCreation: true,
  requiresArgument: true,
  may: mayLink,
  evaluate: async (c, argument) => {
    const others = await issuesOf(c, argument);
    if (others.length === 0) return { message: NOT_FOUND };
    return { inTransaction: (at) => link(at, others, type) };
  },
});

export const linkActions: readonly QuickAction[] = [
  linking('relate', 'relates_to'),
  linking('blocks', 'blocks'),
  linking('blocked_by', 'is_blocked_by'),
  {
    name: 'unlink',
    on: ISSUES,
    requiresArgument: true,
    may: async (c) => c.issue !== null && (await mayLink(c)),
    evaluate: async (c, argument) => {
      const [other] = await issuesOf(c, argument);
      const links = other === undefined ? [] : await linksFrom(c.deps.db, c.issue!.id);
      const existing = links.find(({ otherId }) => otherId === other?.issue.id);
      if (other === undefined || existing === undefined)
        return { message: 'No linked issue matches the provided parameter.' };
      return {
        message: `Removed linked item ${referenceTo(c, other)}.`,
        inTransaction: async ({ deps, scope, issue }) => {
          await unlinkIssues(deps, scope, issue!, existing.link.id);
          return undefined;
        },
      };
    },
  },
];
