import type { TSchema } from 'typebox';
import {
  ImpersonationToken,
  ImpersonationTokenWithSecret,
  PersonalToken,
  PersonalTokenWithSecret,
  ResourceToken,
  ResourceTokenWithSecret,
} from '../access-tokens/access-tokens.responses.ts';
import { SshKeyEntity, SshKeyWithUser } from '../ssh-keys/ssh-keys.responses.ts';
import { UserBasic } from '../users/users.basic.ts';
import { UserProfile, UserPublic, UserWithAdmin } from '../users/users.responses.ts';

/** Schema names of the objects in responses of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  ImpersonationToken,
  ImpersonationTokenWithSecret,
  PersonalAccessToken: PersonalToken,
  PersonalAccessTokenWithSecret: PersonalTokenWithSecret,
  ResourceAccessToken: ResourceToken,
  ResourceAccessTokenWithSecret: ResourceTokenWithSecret,
  SshKey: SshKeyEntity,
  SshKeyWithUser,
  User: UserPublic,
  UserBasic,
  UserForAdministrators: UserWithAdmin,
  UserProfile,
};
