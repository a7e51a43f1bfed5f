import { type Visibility, visibilityLevel } from '../core/access-levels.ts';
import type { ApplicationSettings } from './settings-table.ts';

type Restrictions = Pick<ApplicationSettings, 'restricted_visibility_levels'>;

/** Errors if a caller may not set the visibility; empty if they may. */
export const restrictionErrors = (
  { restricted_visibility_levels: restricted }: Restrictions,
  caller: { admin: boolean },
  visibility: Visibility,
): string[] =>
  !caller.admin && restricted.includes(visibility)
    ? [`${visibility} has been restricted by your GitLab administrator`]
    : [];

/** The more restrictive of two visibilities. */
export const stricterVisibility = (one: Visibility, other: Visibility): Visibility =>
  visibilityLevel(one) <= visibilityLevel(other) ? one : other;

/** The most open visibility up to a limit that the caller may set; the limit itself if there is none. */
export function maxAllowedVisibility(
  settings: Restrictions,
  caller: { admin: boolean },
  limit: Visibility,
): Visibility {
  const fitting = (['public', 'internal', 'private'] as const).find(
    (each) => visibilityLevel(each) <= visibilityLevel(limit) && restrictionErrors(settings, caller, each).length === 0,
  );
  return fitting ?? limit;
}
