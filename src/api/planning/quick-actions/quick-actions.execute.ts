import { transactionDeps } from '../../../access/transaction-deps.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/draft-notes.publish.ts';
import { refreshNow } from '../merge-requests/head/refresh.ts';
import { applyUpdate, changesOf } from './issuable-update.ts';
import type { ExecutionContext } from './quick-actions.action.ts';
import { notApplied, type Prepared, type PreparedAction } from './quick-actions.prepare.ts';

/** Answers as `commands_changes`: what changed, in the platform's names. */
export type CommandChanges = Record<string, unknown>;

/** What the quick actions of a text have done so far. */
export interface Execution {
  prepared: Prepared;
  messages: (string | undefined)[];
  changes: CommandChanges;
  /** Writes the notes of reviews that `finish` publishes. */
  write: WriteInReview;
}

/**
 * Executes the quick actions of a text, after it in its transaction. One that fails changes nothing and reports it.
 * @param deps those of the transaction
 * @param updateApplied whether their update was made part of the change that the text came with
 */
export async function executeActions(
  deps: Deps,
  scope: UserScope,
  prepared: Prepared,
  { updateApplied = false, write }: { updateApplied?: boolean; write: WriteInReview },
): Promise<Execution> {
  const execution: Execution = {
    prepared,
    messages: prepared.actions.map(({ message }) => message),
    changes: {},
    write,
  };
  const updating = prepared.actions.flatMap(({ outcome }, index) => (outcome.update === undefined ? [] : [index]));
  if (updating.length > 0) {
    const refusal = updateApplied ? undefined : await attempt(deps, (deps) => applyUpdate(deps, scope, prepared));
    if (refusal instanceof ApiError) {
      const reasons = updating.map((index) => refusalMessage(refusal, prepared.actions[index]!.name));
      // A reason that several share is reported once.
      for (const [at, index] of updating.entries()) {
        execution.messages[index] = reasons.indexOf(reasons[at]!) === at ? reasons[at] : undefined;
      }
    } else Object.assign(execution.changes, changesOf(prepared.update));
  }
  for (const [index, action] of prepared.actions.entries()) {
    const { inTransaction: run } = action.outcome;
    if (run === undefined) continue;
    const message = await attempt(deps, async (deps) => run(await executionContext(deps, scope, execution)));
    recordResult(execution, index, action, message);
  }
  return execution;
}

/**
 * Does what cannot be part of a transaction, after it. What fails is reported: the text that it came with is written, and
 * whoever retried it would write it twice.
 * @returns the changes and the summary of all of them
 */
export async function finish(
  deps: Deps,
  scope: UserScope,
  execution: Execution,
): Promise<{ changes: CommandChanges; summary: string[] }> {
  const { prepared, changes } = execution;
  const { mergeRequest } = prepared.target;
  if (mergeRequest !== null && ('state_event' in changes || 'target_branch' in changes)) {
    await refreshNow(deps, mergeRequest.id);
  }
  for (const [index, action] of prepared.actions.entries()) {
    const { afterCommit } = action.outcome;
    if (afterCommit === undefined) continue;
    try {
      recordResult(execution, index, action, await afterCommit(await executionContext(deps, scope, execution)));
    } catch (error) {
      recordResult(execution, index, action, error instanceof ApiError ? error : failure(deps, action.name, error));
    }
  }
  const messages = execution.messages.filter((message) => message !== undefined && message !== '');
  return { changes, summary: messages.length === 0 ? [] : [messages.join(' ')] };
}

/** Logs what kept a quick action from being applied. @returns what the caller is told of it */
function failure({ log }: Deps, name: string, error: unknown): ApiError {
  log.log('error', 'a quick action failed', { name, error: String(error) });
  return new ApiError(503, `${notApplied(name)} Try again later.`);
}

/** @returns the refusal where it was refused; nothing of it is kept then */
async function attempt<T>(deps: Deps, work: (deps: Deps) => Promise<T>): Promise<T | ApiError> {
  try {
    return await inTransaction(deps.db, (db) => work(transactionDeps(deps, db)));
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error;
    throw error;
  }
}

function recordResult(
  execution: Execution,
  index: number,
  { name, outcome }: PreparedAction,
  message: string | undefined | ApiError,
): void {
  if (message instanceof ApiError) execution.messages[index] = refusalMessage(message, name);
  else {
    if (message !== undefined) execution.messages[index] = message;
    Object.assign(execution.changes, outcome.changes);
  }
}

/** The message of a refusal; it does not tell a missing permission from a missing object. */
const refusalMessage = (error: ApiError, name: string): string =>
  [401, 403, 404, 405].includes(error.status) ? notApplied(name) : error.message.replace(/^400 Bad request - /, '');

async function executionContext(
  deps: Deps,
  scope: UserScope,
  { prepared, write }: Execution,
): Promise<ExecutionContext> {
  const { issue, mergeRequest } = prepared.target;
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
