import { compilePattern } from '../../../ci/expressions/expressions.pattern.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { applicationSettings, type SettingsDeps } from '../../../settings/application-settings.ts';

/**
 * Columns of a new user that the application settings determine.
 * @param db handle of the transaction that creates the user
 */
export async function newUserColumns(deps: SettingsDeps, db: Db, email: string) {
  const settings = await applicationSettings(deps, db);
  const internal = settings.user_default_internal_regex;
  const isInternal = internal !== null && internal !== '' && compilePattern(internal, 'i')?.test(email) === true;
  return {
    projects_limit: settings.default_projects_limit,
    can_create_group: bit(settings.can_create_group),
    external: bit(settings.user_default_external && !isInternal),
    private_profile: bit(settings.user_defaults_to_private_profile),
  };
}
