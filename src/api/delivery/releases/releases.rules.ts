import type { CallerInProject } from '../../../access/caller-in-project.ts';
import { ApiError, forbidden, refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { loadProtections, protectionAllows, protectionsOf } from '../../../repositories/repository.protections.ts';
import { newLinksErrors } from '../release-links/release-links.insert.ts';
import type { ChangedRelease, NewRelease } from './releases.inputs.ts';

const MAX_NAME = 255;
const MAX_DESCRIPTION = 1_000_000;

/** 400 for an invalid release or link, in the platform's words. */
const notValid = (sentences: readonly string[]): ApiError =>
  new ApiError(400, `Validation failed: ${sentences.join(', ')}`, { errors: { base: [...sentences] } });

/** Validates the given attributes of a release. @throws ApiError 400 */
export function checkRelease(input: ChangedRelease & Pick<NewRelease, 'assets'>): void {
  const sentences: string[] = [];
  if (input.name != null && [...input.name].length > MAX_NAME) {
    sentences.push(`Name is too long (maximum is ${MAX_NAME} characters)`);
  }
  if (input.description != null && input.description.length > MAX_DESCRIPTION) {
    sentences.push(`Description is too long (maximum is ${MAX_DESCRIPTION} characters)`);
  }
  sentences.push(...newLinksErrors(input.assets?.links ?? []));
  if (sentences.length > 0) throw notValid(sentences);
  if (input.milestones !== undefined && input.milestone_ids !== undefined) {
    throw refused('Cannot specify milestones and milestone_ids at the same time');
  }
}

/** Whether the caller may create the tag of a release, if it is protected. */
export async function mayRelease(deps: Deps, actor: CallerInProject, tag: string): Promise<boolean> {
  const matching = protectionsOf(await loadProtections(deps, actor.project.id), 'tag', tag);
  return matching.length === 0 || protectionAllows(deps, actor, matching, 'create');
}

/** @throws ApiError 403 */
export async function requireMayRelease(deps: Deps, actor: CallerInProject, tag: string): Promise<void> {
  if (!(await mayRelease(deps, actor, tag))) throw forbidden();
}

/** The same for creating a release, which may create the tag. @throws ApiError 403 */
export async function requireMayTag(deps: Deps, actor: CallerInProject, tag: string): Promise<void> {
  if (await mayRelease(deps, actor, tag)) return;
  throw refused('You are not allowed to create this tag as it is protected.', 403);
}
