import { within } from '../../../access/within.ts';
import { ApiError } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/publish.ts';
import { refreshNow } from '../merge-requests/head/refresh.ts';
import type { Doing } from './action.ts';
import { type Act, notApplied, type Prepared } from './prepare.ts';
import { applyWanted, changesOf } from './wanted.ts';

/** Answers as `commands_changes`: what changed, in the platform's names. */
export type Changes = Record<string, unknown>;

/** What quick actions have done so far. */
export interface Performed {
  prepared: Prepared;
  messages: (string | undefined)[];
  changes: Changes;
  /** Who writes what is done later, too. */
  write: WriteInReview;
}

/**
 * Does what the quick actions of a text want, behind it in its transaction. One that fails does nothing, and says so.
 * @param deps those of the transaction
 * @param merged whether what they want was made part of the change that the text came with
 */
export async function perform(
  deps: Deps,
  scope: UserScope,
  prepared: Prepared,
  { merged = false, write }: { merged?: boolean; write: WriteInReview },
): Promise<Performed> {
  const done: Performed = { prepared, messages: prepared.acts.map(({ message }) => message), changes: {}, write };
  const wanting = prepared.acts.flatMap(({ outcome }, index) => (outcome.wanted === undefined ? [] : [index]));
  if (wanting.length > 0) {
    const refusal = merged ? undefined : await attempt(deps, (deps) => applyWanted(deps, scope, prepared));
    if (refusal instanceof ApiError) {
      const reasons = wanting.map((index) => reasonOf(refusal, prepared.acts[index]!.name));
      // What is wrong with one of them is told once.
      for (const [at, index] of wanting.entries()) {
        done.messages[index] = reasons.indexOf(reasons[at]!) === at ? reasons[at] : undefined;
      }
    } else Object.assign(done.changes, changesOf(prepared.wanted));
  }
  for (const [index, act] of prepared.acts.entries()) {
    const { within } = act.outcome;
    if (within === undefined) continue;
    const told = await attempt(deps, async (deps) => within(await doingOf(deps, scope, done)));
    conclude(done, index, act, told);
  }
  return done;
}

/**
 * Does what cannot be part of a transaction, after it.
 * @returns what is told of all
 */
export async function finish(
  deps: Deps,
  scope: UserScope,
  done: Performed,
): Promise<{ changes: Changes; summary: string[] }> {
  const { prepared, changes } = done;
  const { mergeRequest } = prepared.on;
  if (mergeRequest !== null && ('state_event' in changes || 'target_branch' in changes)) {
    await refreshNow(deps, mergeRequest.id);
  }
  for (const [index, act] of prepared.acts.entries()) {
    const { after } = act.outcome;
    if (after === undefined) continue;
    try {
      conclude(done, index, act, await after(await doingOf(deps, scope, done)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      conclude(done, index, act, error);
    }
  }
  const told = done.messages.filter((message) => message !== undefined && message !== '');
  return { changes, summary: told.length === 0 ? [] : [told.join(' ')] };
}

/** @returns the refusal where it was refused; nothing of it was done then */
async function attempt<T>(deps: Deps, work: (deps: Deps) => Promise<T>): Promise<T | ApiError> {
  try {
    return await inTransaction(deps.db, (db) => work(within(deps, db)));
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error;
    throw error;
  }
}

function conclude(done: Performed, index: number, { name, outcome }: Act, told: string | undefined | ApiError): void {
  if (told instanceof ApiError) done.messages[index] = reasonOf(told, name);
  else {
    if (told !== undefined) done.messages[index] = told;
    Object.assign(done.changes, outcome.changes);
  }
}

/** What is told of a refusal: whoever may not, and of what is not there, nothing further. */
const reasonOf = (error: ApiError, name: string): string =>
  [401, 403, 404, 405].includes(error.status) ? notApplied(name) : error.message.replace(/^400 Bad request - /, '');

async function doingOf(deps: Deps, scope: UserScope, { prepared, write }: Performed): Promise<Doing> {
  const { issue, mergeRequest } = prepared.on;
  const { db } = deps;
  return {
    deps,
    scope,
    issue:
      issue === null
        ? null
        : await db.selectFrom('issues').selectAll().where('id', '=', issue.id).executeTakeFirstOrThrow(),
    mergeRequest:
      mergeRequest === null
        ? null
        : await db.selectFrom('merge_requests').selectAll().where('id', '=', mergeRequest.id).executeTakeFirstOrThrow(),
    write,
  };
}
