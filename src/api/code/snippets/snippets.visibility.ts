import type { Caller } from '../../../access/caller.ts';
import type { Visibility } from '../../../core/access-levels.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings, storedSettings } from '../../../settings/application-settings.ts';
import { restrictionErrors } from '../../../settings/settings.visibility.ts';

/** @throws ApiError 400 for a visibility that only administrators may set */
export async function refuseRestricted(deps: Deps, caller: Caller, visibility: Visibility): Promise<void> {
  const texts = restrictionErrors(await applicationSettings(deps), caller, visibility);
  if (texts.length > 0) throw invalidModel({ visibility_level: texts });
}

/**
 * Returns the visibility of a new snippet: the requested one, else the default of the instance, else that of the
 * platform.
 * @throws ApiError 400 for a visibility that only administrators may set
 */
export async function visibilityOf(
  deps: Deps,
  caller: Caller,
  requested: Visibility | undefined,
  project: Project | null,
): Promise<Visibility> {
  const setting = (await storedSettings(deps)).changed.default_snippet_visibility as Visibility | undefined;
  const visibility = requested ?? setting ?? (project === null ? 'internal' : 'private');
  await refuseRestricted(deps, caller, visibility);
  return visibility;
}
