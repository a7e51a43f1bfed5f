import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';

/**
 * Whether personal access tokens of the user are disabled. Project, group, service account and impersonation tokens
 * stay valid.
 */
export const arePersonalTokensOff = (
  { settings }: Pick<Deps, 'settings'>,
  { kind }: Pick<User, 'kind'>,
  { impersonation }: Pick<AccessToken, 'impersonation'>,
): boolean => settings.now.disable_personal_access_tokens && kind === 'human' && impersonation === 0;
