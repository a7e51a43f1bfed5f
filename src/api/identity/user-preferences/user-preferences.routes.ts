import { type Static, Type } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import { route } from '../../../http/http.route.ts';
import { optional } from '../../../http/http.schema.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { type PreferenceColumns, setPreferences } from './user-preferences.store.ts';

const fields = {
  view_diffs_file_by_file: Type.Boolean({ description: 'Show one file at a time in diffs.' }),
  show_whitespace_in_diffs: Type.Boolean({ description: 'Show whitespace changes in diffs.' }),
  pass_user_identities_to_ci_jwt: Type.Boolean({ description: "Pass the user's external identities to CI/CD jobs." }),
  notified_of_own_activity: Type.Boolean({ description: "Send mails about the user's own activity as well." }),
};
const Preferences = Type.Object({ id: Type.Integer(), user_id: Type.Integer(), ...fields });

const DEFAULTS = {
  view_diffs_file_by_file: 0,
  show_whitespace_in_diffs: 1,
  pass_user_identities_to_ci_jwt: 0,
  notified_of_own_activity: 0,
} as const;
const NAMES = Object.keys(DEFAULTS) as (keyof PreferenceColumns)[];

const present = (userId: number, columns: PreferenceColumns): Static<typeof Preferences> => ({
  id: userId,
  user_id: userId,
  view_diffs_file_by_file: columns.view_diffs_file_by_file === 1,
  show_whitespace_in_diffs: columns.show_whitespace_in_diffs === 1,
  pass_user_identities_to_ci_jwt: columns.pass_user_identities_to_ci_jwt === 1,
  notified_of_own_activity: columns.notified_of_own_activity === 1,
});

/** Preferences of users. */
export const userPreferenceRoutes = [
  route({
    method: 'GET',
    path: '/user/preferences',
    summary: "Get the caller's preferences",
    access: signedIn,
    scopes: ['read_user'],
    success: { status: 200, schema: Preferences },
    handler: async ({ deps, caller: { user } }) => {
      const row = await deps.db
        .selectFrom('user_preferences')
        .selectAll()
        .where('user_id', '=', user.id)
        .executeTakeFirst();
      return present(user.id, row ?? DEFAULTS);
    },
  }),
  route({
    method: 'PUT',
    path: '/user/preferences',
    summary: "Change the caller's preferences",
    description: 'Preferences that are not given stay as they are.',
    access: onServer('update_own_account'),
    input: optional(fields),
    rules: { atLeastOne: [NAMES] },
    success: { status: 200, schema: Preferences },
    handler: async (c) => {
      const { deps, input } = c;
      const { user } = c.caller;
      const attributes: Partial<PreferenceColumns> = {};
      for (const name of NAMES) {
        const value = input[name];
        if (value !== undefined) attributes[name] = bit(value);
      }
      const [empty] = NAMES.filter((name) => c.isSent(name) && input[name] === undefined);
      if (empty !== undefined) throw invalidParameter(`${empty} is empty`);
      return present(user.id, await setPreferences(deps.db, user.id, attributes));
    },
  }),
];
