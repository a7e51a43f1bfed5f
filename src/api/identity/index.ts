import { parseJson } from '../../db/columns.ts';
import type { Area } from '../area.ts';
import { createToken } from './access-tokens/for-users.ts';
import { applicationRoutes } from './applications/routes.ts';
import { avatarRoutes } from './avatars/routes.ts';
import { emailRoutes } from './emails/routes.ts';
import { gpgKeyRoutes } from './gpg-keys/routes.ts';
import { impersonationTokenRoutes } from './impersonation-tokens/routes.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { personalAccessTokenRoutes } from './personal-access-tokens/routes.ts';
import { selfTokenRoutes } from './personal-access-tokens/self-routes.ts';
import { keyLookupRoutes } from './ssh-keys/lookup-routes.ts';
import { sshKeyRoutes } from './ssh-keys/routes.ts';
import { userPreferenceRoutes } from './user-preferences/routes.ts';
import { userAccountRoutes } from './users/account-routes.ts';
import { registerDormant } from './users/dormant.ts';
import { userFollowRoutes } from './users/follow-routes.ts';
import { userMembershipRoutes } from './users/membership-routes.ts';
import { userRoutes } from './users/routes.ts';
import { userStateRoutes } from './users/state-routes.ts';
import { userStatusRoutes } from './users/status-routes.ts';

export { PERSONAL_SCOPES, RESOURCE_SCOPES } from '../../access/token-scopes.ts';
export { isEmailTaken, usersWithAddresses, userWithAddress } from '../../access/user-addresses.ts';
export {
  PersonalToken,
  PersonalTokenWithSecret,
  ResourceToken,
  ResourceTokenWithSecret,
} from './access-tokens/answers.ts';
export { tokenFilters, tokensMatching } from './access-tokens/list.ts';
export { presentToken, presentTokenWithUse } from './access-tokens/views.ts';
export {
  expiryOf,
  type IssuedToken,
  issueToken,
  revokeFamily,
  revokeToken,
  rotateToken,
} from './access-tokens/writes.ts';
export { sendPicture } from './avatars/send.ts';
export { avatarColumn, keepPicture } from './avatars/upload.ts';
export { rotation } from './personal-access-tokens/inputs.ts';
export { createAccount } from './users/account.ts';
export { UserProfile } from './users/answers.ts';
export { UserBasic, userAvatarUrl, userBasic, userBasicFields, usersById } from './users/basic.ts';
export { destroyUser } from './users/destroy.ts';
export { userById, userByIdOrName } from './users/find.ts';
export { randomPassword } from './users/passwords.ts';
export { isUsernameTaken } from './users/queries.ts';
export { attributeErrors, emailErrors } from './users/rules.ts';
export { presentUserInfo } from './users/views.ts';
export { createUser, updateUser } from './users/writes.ts';
export { createToken };

/** Users, their addresses, keys, pictures and tokens. */
export const identity: Area = {
  routes: [
    ...applicationRoutes,
    ...avatarRoutes,
    ...emailRoutes,
    ...gpgKeyRoutes,
    ...impersonationTokenRoutes,
    ...oauthRoutes,
    ...personalAccessTokenRoutes,
    ...selfTokenRoutes,
    ...keyLookupRoutes,
    ...sshKeyRoutes,
    ...userPreferenceRoutes,
    ...userAccountRoutes,
    ...userFollowRoutes,
    ...userMembershipRoutes,
    ...userRoutes,
    ...userStateRoutes,
    ...userStatusRoutes,
  ],
  register(deps) {
    registerDormant(deps);
    deps.createPersonalToken = async (user, request) => {
      const { token, row } = await createToken(deps, user, request);
      return { token, scopes: parseJson<string[]>(row.scopes), expiresAt: row.expires_at };
    };
  },
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};
