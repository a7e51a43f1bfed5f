import type { TSchema } from 'typebox';
import {
  ImpersonationToken,
  ImpersonationTokenWithSecret,
  PersonalToken,
  PersonalTokenWithSecret,
  ResourceToken,
  ResourceTokenWithSecret,
} from '../access-tokens/answers.ts';
import { SshKeyEntity, SshKeyWithUser } from '../ssh-keys/answers.ts';
import { UserProfile, UserPublic, UserWithAdmin } from '../users/answers.ts';
import { UserBasic } from '../users/basic.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
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
