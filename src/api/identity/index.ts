import type { Area } from '../area.ts';
import { applicationRoutes } from './applications/applications.routes.ts';
import { avatarRoutes } from './avatars/avatars.routes.ts';
import { emailRoutes } from './emails/emails.routes.ts';
import { gpgKeyRoutes } from './gpg-keys/gpg-keys.routes.ts';
import { impersonationTokenRoutes } from './impersonation-tokens/impersonation-tokens.routes.ts';
import { oauthRoutes } from './oauth/oauth.routes.ts';
import { personalAccessTokenRoutes } from './personal-access-tokens/personal-access-tokens.routes.ts';
import { selfTokenRoutes } from './personal-access-tokens/personal-access-tokens.self-routes.ts';
import { keyLookupRoutes } from './ssh-keys/ssh-keys.lookup-routes.ts';
import { sshKeyRoutes } from './ssh-keys/ssh-keys.routes.ts';
import { userPreferenceRoutes } from './user-preferences/user-preferences.routes.ts';
import { userAccountRoutes } from './users/users.account-routes.ts';
import { registerDormant } from './users/users.dormant.ts';
import { userFollowRoutes } from './users/users.follow-routes.ts';
import { userMembershipRoutes } from './users/users.membership-routes.ts';
import { userRoutes } from './users/users.routes.ts';
import { userStateRoutes } from './users/users.state-routes.ts';
import { userStatusRoutes } from './users/users.status-routes.ts';

export { PERSONAL_SCOPES, RESOURCE_SCOPES } from '../../access/token-scopes.ts';
export { isEmailTaken, usersWithAddresses, userWithAddress } from '../../access/user-addresses.ts';
export { tokenFilters, tokensMatching } from './access-tokens/access-tokens.list.ts';
export {
  PersonalToken,
  PersonalTokenWithSecret,
  ResourceToken,
  ResourceTokenWithSecret,
} from './access-tokens/access-tokens.responses.ts';
export { presentIssued, presentTokenWithUse } from './access-tokens/access-tokens.views.ts';
export {
  expiryOf,
  type IssuedToken,
  issueToken,
  revokeFamily,
  revokeToken,
  rotateToken,
} from './access-tokens/access-tokens.writes.ts';
export { createToken } from './access-tokens/for-users.ts';
export { sendPicture } from './avatars/avatars.send.ts';
export { avatarColumn, storePicture } from './avatars/avatars.upload.ts';
export { rotation } from './personal-access-tokens/personal-access-tokens.inputs.ts';
export { createAccount } from './users/users.account.ts';
export { UserBasic, userAvatarUrl, userBasic, userBasicFields, usersById } from './users/users.basic.ts';
export { destroyUser } from './users/users.destroy.ts';
export { userById, userByIdOrName } from './users/users.find.ts';
export { listOfUsers } from './users/users.list.ts';
export { randomPassword } from './users/users.passwords.ts';
export { isUsernameTaken } from './users/users.queries.ts';
export { UserProfile } from './users/users.responses.ts';
export { attributeErrors, emailErrors } from './users/users.rules.ts';
export { presentUserInfo } from './users/users.views.ts';
export { createUser, updateUser } from './users/users.writes.ts';

/** Users, their e-mail addresses, keys, avatars and tokens. */
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
  register: registerDormant,
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};
