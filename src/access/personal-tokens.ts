import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';

/**
 * Whether nobody makes or uses a personal access token of the user. Those of projects, groups and service accounts stay good, and
 * so do those that administrators made to act as somebody.
 */
export const arePersonalTokensOff = (
  { settings }: Pick<Deps, 'settings'>,
  { kind }: Pick<User, 'kind'>,
  { impersonation }: Pick<AccessToken, 'impersonation'>,
): boolean => settings.now.disable_personal_access_tokens && kind === 'human' && impersonation === 0;
