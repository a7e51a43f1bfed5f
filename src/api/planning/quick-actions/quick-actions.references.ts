import { findReferences, type Reference } from '../../../core/core.references.ts';
import { type FoundIssue, type FoundMergeRequest, Resolver } from '../references/references.resolve.ts';
import type { Context } from './quick-actions.action.ts';

/** References that one quick action may have. */
const MAX_REFERENCES = 50;

function referencesIn(c: Context, argument: string): Reference[] {
  const found = findReferences(argument, { externalUrl: c.deps.externalUrl() });
  const references = found.slice(0, Math.min(MAX_REFERENCES, c.lookups));
  c.lookups -= references.length;
  return references;
}

const resolver = ({ deps, scope }: Context) => new Resolver(deps, scope.caller, scope);

/** The issues that an argument names, as far as the caller may see them. */
export const issuesOf = (c: Context, argument: string): Promise<FoundIssue[]> =>
  resolver(c).issues(referencesIn(c, argument));

/** The merge requests that an argument names, as far as the caller may see them. */
export const mergeRequestsOf = (c: Context, argument: string): Promise<FoundMergeRequest[]> =>
  resolver(c).mergeRequests(referencesIn(c, argument));

/** How a text of the project speaks of an issue. */
export const referenceTo = (
  { scope }: Pick<Context, 'scope'>,
  { issue, project }: Omit<FoundIssue, 'permissions' | 'namespace'>,
): string => `${project.id === scope.project.id ? '' : project.full_path}#${issue.iid}`;
