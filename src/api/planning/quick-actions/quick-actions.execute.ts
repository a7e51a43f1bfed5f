import { transactionDeps } from '../../../access/transaction-deps.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/draft-notes.publish.ts';
import { refreshNow } from '../merge-requests/mergeability/refresh.ts';
import { applyUpdate, changesOf } from './issuable-update.ts';
import type { ExecutionContext } from './quick-actions.action.ts';
import { notApplied, type Prepared, type PreparedAction } from './quick-actions.prepare.ts';

/** Content of `commands_changes`: changes, with the platform's names. */
export type CommandChanges = Record<string, unknown>;

/** Progress of the quick actions of a text. */
export interface Execution {
  prepared: Prepared;
  messages: (string | undefined)[];
  changes: CommandChanges;
  /** Writes the notes of reviews that `finish` publishes. */
  write: WriteInReview;
}

/**
 * Executes the quick actions of a text, after it in its transaction. A failed one changes nothing and is reported.
 * @param deps deps of the transaction
 * @param updateApplied whether their update was already applied with the change of the text
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
      // A shared reason is reported once.
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
 * Runs the work after the transaction. Failures are reported, not thrown: the text is already written, and a retry
 * would write it twice.
 * @returns the changes and the summary of all quick actions
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

/** Logs the failure of a quick action. @returns the error for the caller */
function failure({ log }: Deps, name: string, error: unknown): ApiError {
  log.log('error', 'a quick action failed', { name, error: String(error) });
  return new ApiError(503, `${notApplied(name)} Try again later.`);
}

/** Runs `work` in a savepoint. @returns the refusal if it was refused and rolled back */
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

/** The message of a refusal; does not distinguish missing permissions from missing objects. */
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
