import type { Selectable } from 'kysely';
import type { Bit, Day, Defaulted, Id, Timestamp } from '../columns.ts';

/** Pictures with links that a project shows, or all projects of a group. */
export interface BadgesTable {
  id: Id;
  /** Either of the two is set. */
  project_id: number | null;
  group_id: number | null;
  name: string | null;
  /** Addresses with placeholders such as `%{project_path}`. */
  link_url: string;
  image_url: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type Badge = Selectable<BadgesTable>;

/** Files that texts of a project or group refer to; the bytes are in the blob store. */
export interface UploadsTable {
  id: Id;
  /** Either of the two is set. */
  project_id: number | null;
  group_id: number | null;
  /** 32 hexadecimal digits, a part of the address. */
  secret: string;
  filename: string;
  sha256: string;
  /** Bytes. */
  size: number;
  uploaded_by_id: number | null;
  created_at: Timestamp;
}
export type Upload = Selectable<UploadsTable>;

/** Protected branches of a group, in force in every project of its tree. */
export interface GroupProtectedBranchesTable {
  id: Id;
  group_id: number;
  /** A name, or a pattern with `*`. */
  name: string;
  allow_force_push: Defaulted<Bit>;
  code_owner_approval_required: Defaulted<Bit>;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type GroupProtectedBranch = Selectable<GroupProtectedBranchesTable>;

/** Who may do what with them: roles alone. */
export interface GroupProtectedBranchLevelsTable {
  id: Id;
  group_protected_branch_id: number;
  action: 'push' | 'merge' | 'unprotect';
  access_level: number;
}

/** Somebody who becomes a member when a user with that confirmed address appears. */
export interface InvitationsTable {
  id: Id;
  source_type: 'project' | 'group';
  source_id: number;
  email: string;
  access_level: number;
  member_role_id: number | null;
  expires_at: Day | null;
  created_by_id: number | null;
  created_at: Timestamp;
}
export type Invitation = Selectable<InvitationsTable>;

export interface UserFollowsTable {
  follower_id: number;
  followed_id: number;
  created_at: Timestamp;
}

/** What a user chose for himself; a user without a row has the defaults. */
export interface UserPreferencesTable {
  user_id: number;
  view_diffs_file_by_file: Defaulted<Bit>;
  show_whitespace_in_diffs: Defaulted<Bit>;
  pass_user_identities_to_ci_jwt: Defaulted<Bit>;
}
export type UserPreferences = Selectable<UserPreferencesTable>;

/** PGP keys with which users sign commits. */
export interface GpgKeysTable {
  id: Id;
  user_id: number;
  /** Armoured public key. */
  key: string;
  /** Of the primary key: hexadecimal, upper case. */
  fingerprint: string;
  created_at: Timestamp;
}
export type GpgKey = Selectable<GpgKeysTable>;

/** Ids by which signatures name a key: its own, and those of its subkeys. */
export interface GpgKeyIdsTable {
  id: Id;
  gpg_key_id: number;
  /** 16 hexadecimal digits in upper case. */
  keyid: string;
  is_primary: Bit;
}

/** Short names of projects. */
export interface ProjectAliasesTable {
  id: Id;
  project_id: number;
  name: string;
}
