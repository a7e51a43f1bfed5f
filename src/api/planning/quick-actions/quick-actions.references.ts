import { findReferences, type Reference } from '../../../core/core.references.ts';
import { type ResolvedIssue, type ResolvedMergeRequest, Resolver } from '../references/references.resolve.ts';
import type { Context } from './quick-actions.action.ts';

/** Maximum number of references of a quick action. */
const MAX_REFERENCES = 50;

function referencesIn(c: Context, argument: string): Reference[] {
  const allReferences = findReferences(argument, { externalUrl: c.deps.externalUrl() });
  const references = allReferences.slice(0, Math.min(MAX_REFERENCES, c.lookups));
  c.lookups -= references.length;
  return references;
}

const resolver = ({ deps, scope }: Context) => new Resolver(deps, scope.caller, scope);

/** The issues in an argument that the caller may see. */
export const issuesOf = (c: Context, argument: string): Promise<ResolvedIssue[]> =>
  resolver(c).issues(referencesIn(c, argument));

/** The merge requests in an argument that the caller may see. */
export const mergeRequestsOf = (c: Context, argument: string): Promise<ResolvedMergeRequest[]> =>
  resolver(c).mergeRequests(referencesIn(c, argument));

/** Reference to an issue in a text of the project. */
export const referenceTo = (
  { scope }: Pick<Context, 'scope'>,
  { issue, project }: Omit<ResolvedIssue, 'permissions' | 'namespace'>,
): string => `${project.id === scope.project.id ? '' : project.full_path}#${issue.iid}`;
