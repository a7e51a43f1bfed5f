import type { Insertable, Updateable } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import { addressesOf, isEmailTaken } from '../../../access/user-addresses.ts';
import { changesOf, type WatchedAttributes } from '../../../audit/changes.audit.ts';
import { user as onUser, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import { hashPassword } from '../../../core/core.secrets.ts';
import { userFacts } from '../../../core/event-facts.ts';
import { bit } from '../../../db/columns.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import { lockRow } from '../../../db/lock-row.ts';
import { isPathTaken } from '../../../db/namespace-tree.ts';
import type { User, UsersTable } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { avatarColumn } from '../avatars/avatars.upload.ts';
import { setPreferences } from '../user-preferences/user-preferences.store.ts';
import { newUserColumns } from './new-user.ts';
import { createAccount } from './users.account.ts';
import { userById } from './users.find.ts';
import { identityOfInput, setIdentity } from './users.identities.ts';
import type { ChangedUser, NewUser } from './users.inputs.ts';
import { passwordErrors, randomPassword } from './users.passwords.ts';
import { isUsernameTaken } from './users.queries.ts';
import { renameNamespace } from './users.rename.ts';
import { attributeErrors } from './users.rules.ts';

const emailTaken = () => conflict('Email has already been taken');
const usernameTaken = () => conflict('Username has already been taken');

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

const withPassword = (errors: FieldErrors, password: string[]): FieldErrors =>
  password.length === 0 ? errors : { ...errors, password };

const BITS = ['admin', 'auditor', 'can_create_group', 'external', 'private_profile'] as const;
const TEXTS = [
  'bio',
  'discord',
  'github',
  'job_title',
  'linkedin',
  'location',
  'organization',
  'skype',
  'twitter',
  'website_url',
] as const;
const NULLABLE_TEXTS = ['note', 'pronouns', 'public_email', 'commit_email'] as const;

/** Columns of the given attributes. */
function columnsOf(input: ChangedUser | NewUser): Partial<Insertable<UsersTable>> & Updateable<UsersTable> {
  const columns: Partial<Insertable<UsersTable>> & Updateable<UsersTable> = {};
  for (const name of BITS) {
    const value = input[name];
    if (value !== undefined) columns[name] = bit(value);
  }
  for (const name of TEXTS) {
    const value = input[name];
    if (value !== undefined) columns[name] = value;
  }
  for (const name of NULLABLE_TEXTS) {
    const value = input[name];
    if (value !== undefined) columns[name] = value === '' ? null : value;
  }
  if (input.theme_id !== undefined) columns.theme_id = input.theme_id;
  if (input.color_scheme_id !== undefined) columns.color_scheme_id = input.color_scheme_id;
  if (input.projects_limit !== undefined) columns.projects_limit = input.projects_limit;
  return columns;
}

/** Stores the preferences among the given attributes. */
async function choose(db: Db, userId: number, input: ChangedUser | NewUser): Promise<void> {
  const { view_diffs_file_by_file: fileByFile } = input;
  if (fileByFile !== undefined) await setPreferences(db, userId, { view_diffs_file_by_file: bit(fileByFile) });
}

/** Refuses a public or commit e-mail address that does not belong to the user. */
async function refuseForeignAddresses(db: Db, user: Pick<User, 'id' | 'email'>, input: ChangedUser | NewUser) {
  const own = await addressesOf(db, user);
  const errors: FieldErrors = {};
  for (const name of ['public_email', 'commit_email'] as const) {
    const address = input[name];
    if (address !== undefined && address !== null && address !== '' && !own.includes(asciiLower(address))) {
      errors[name] = ['is not an email you own'];
    }
  }
  refuse(errors);
}

/** Turns a unique violation of a concurrent write into the 409 that a check before would have given. */
async function orConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw usernameTaken();
    throw error;
  }
}

/**
 * Creates a user with their personal namespace. An account created by an administrator counts as confirmed.
 * @throws ApiError 400 for invalid attributes, 409 for a taken address or user name
 */
export async function createUser(deps: Deps, caller: UserCaller, input: NewUser): Promise<User> {
  const random = input.force_random_password === true || input.reset_password === true;
  const settings = await applicationSettings(deps);
  const password = random ? randomPassword(settings, 64) : (input.password ?? '');
  refuse(withPassword(attributeErrors(input), passwordErrors(settings, password)));
  const identity = identityOfInput(input);
  const passwordHash = await hashPassword(password, deps.config.passwordHash);
  const picture = await avatarColumn(deps, input.avatar);
  return orConflict(() =>
    deps.db.transaction().execute(async (db) => {
      if (await isEmailTaken(db, input.email)) throw emailTaken();
      // Checked in this order, so that a concurrently created user is reported as a taken user name.
      const pathTaken = await isPathTaken(db, input.username);
      if (await isUsernameTaken(db, input.username)) throw usernameTaken();
      if (pathTaken) throw invalidModel({ username: ['has already been taken'] });
      await refuseForeignAddresses(db, { id: 0, email: input.email }, input);
      const created = await createAccount(db, deps.clock, {
        username: input.username,
        name: input.name,
        email: input.email,
        passwordHash,
        createdById: caller.user.id,
        columns: { ...(await newUserColumns(deps, db, input.email)), ...columnsOf(input), ...picture },
      });
      if (identity !== undefined) await setIdentity(deps, db, created.id, identity);
      await choose(db, created.id, input);
      const payload = { user_id: created.id, user: userFacts(created) };
      await deps.events.record(db, 'user.created', payload, { actorId: caller.user.id });
      await recordAudit(deps, db, { name: 'user_created', entity: onUser(created.id), message: 'User created' });
      await deps.lifecycle.addressConfirmed.run(db, created.id, created.email);
      return created;
    }),
  );
}

const WATCHED: WatchedAttributes<User> = {
  username: { name: 'user_username_updated', as: 'username' },
  name: { name: 'user_name_updated', as: 'name' },
  email: { name: 'user_email_address_updated', as: 'email address' },
  admin: { name: 'user_admin_status_updated', as: 'admin status', flag: true },
  auditor: { name: 'user_auditor_status_updated', as: 'auditor status', flag: true },
  external: { name: 'user_external_status_updated', as: 'external status', flag: true },
  can_create_group: { name: 'user_can_create_group_updated', as: 'can create group', flag: true },
  projects_limit: { name: 'user_projects_limit_updated', as: 'projects limit' },
};
const PASSWORD_CHANGED = {
  name: 'user_password_updated',
  message: 'Changed password',
  more: { change: 'password' },
} as const;

/**
 * Changes a user. A new user name renames the personal namespace and its projects; old paths redirect.
 * @param options `confirmed`: whether a new address counts as confirmed
 * @throws ApiError 400, 404, 409 as `createUser`
 */
export async function updateUser(
  deps: Deps,
  caller: UserCaller,
  id: number,
  input: ChangedUser,
  { confirmed = true }: { confirmed?: boolean } = {},
): Promise<User> {
  const { password, email, username, name } = input;
  const passwordTexts = password === undefined ? [] : passwordErrors(await applicationSettings(deps), password);
  refuse(withPassword(attributeErrors(input), passwordTexts));
  const identity = identityOfInput(input);
  const picture = await avatarColumn(deps, input.avatar);
  const passwordHash = password === undefined ? undefined : await hashPassword(password, deps.config.passwordHash);
  return orConflict(() =>
    deps.db.transaction().execute(async (db) => {
      // Locked, so that the audit event contains only changes of this caller.
      await lockRow(db, 'users', id);
      const old = await userById(db, id);
      if (email !== undefined && (await isEmailTaken(db, email, id))) throw emailTaken();
      if (username !== undefined && (await isUsernameTaken(db, username, id))) throw usernameTaken();
      await refuseForeignAddresses(db, { id, email: email ?? old.email }, input);
      if (email !== undefined) {
        await adoptAddress(db, old, email);
        if (confirmed) await deps.lifecycle.addressConfirmed.run(db, id, email);
      }
      if (identity !== undefined) await setIdentity(deps, db, id, identity);
      await choose(db, id, input);
      await renameNamespace(
        deps,
        db,
        old,
        { username: username ?? old.username, name: name ?? old.name },
        caller.user.id,
      );
      const updated = await db
        .updateTable('users')
        .set({
          ...columnsOf(input),
          ...picture,
          ...(email === undefined ? {} : { email, confirmed_at: confirmed ? timestamp(deps.clock) : null }),
          ...(username === undefined ? {} : { username }),
          ...(name === undefined ? {} : { name }),
          ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
          updated_at: timestamp(deps.clock),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const changes = changesOf(old, updated, WATCHED);
      const entries = passwordHash === undefined ? changes : [...changes, PASSWORD_CHANGED];
      await recordAudit(
        deps,
        db,
        entries.map((each) => ({ ...each, entity: onUser(id) })),
      );
      return updated;
    }),
  );
}

/**
 * Removes a new primary address from the secondary ones, and clears every use of the old primary one as public, commit
 * or notification address.
 */
async function adoptAddress(db: Db, user: User, email: string): Promise<void> {
  if (asciiLower(email) === asciiLower(user.email)) return;
  const further = await db.selectFrom('emails').select(['id', 'email']).where('user_id', '=', user.id).execute();
  const same = further.find((row) => asciiLower(row.email) === asciiLower(email));
  if (same !== undefined) await db.deleteFrom('emails').where('id', '=', same.id).execute();
  for (const column of ['public_email', 'commit_email', 'notification_email'] as const) {
    if (asciiLower(user[column] ?? '') !== asciiLower(user.email)) continue;
    await db
      .updateTable('users')
      .set({ [column]: null })
      .where('id', '=', user.id)
      .execute();
  }
}

/** Sets or removes the avatar of a user. @throws ApiError 400 */
export async function setPicture(deps: Deps, user: User, value: UploadedFile | string): Promise<User> {
  return deps.db
    .updateTable('users')
    .set({ ...(await avatarColumn(deps, value)), updated_at: timestamp(deps.clock) })
    .where('id', '=', user.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
