import type { Static } from 'typebox';
import { invalidParameter, recordNotFound } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import { type StrategyInput, storedStrategyName } from '../../../feature-flags/feature-flags.rules.ts';
import { parseJsonBody } from '../../../http/params/json.ts';
import type { changedFlag, newFlag } from './feature-flags.inputs.ts';
import type { ScopedStrategy } from './feature-flags.queries.ts';

type NewStrategy = NonNullable<Static<typeof newFlag>['strategies']>[number];
type ChangedStrategy = NonNullable<Static<typeof changedFlag>['strategies']>[number];

/** Scope of a strategy without scopes: all environments. */
const EVERYWHERE = [{ environment_scope: '*' }];

/** Parses parameters given as object or JSON text. @throws ApiError 400 for invalid JSON */
function readParameters(input: unknown, path: string): unknown {
  if (input === undefined || input === null || input === '') return {};
  if (typeof input !== 'string') return input;
  try {
    return parseJsonBody(input);
  } catch {
    throw invalidParameter(`${path}[parameters] is invalid`);
  }
}

const userList = (input: number | string | null | undefined): number | string | null =>
  input === undefined || input === '' ? null : input;

const newScopes = (scopes: readonly { environment_scope: string }[]) =>
  scopes.map(({ environment_scope }) => ({ id: undefined, environment_scope }));

/** Reads the strategies of a new flag. @throws ApiError 400 */
export const strategiesOfNewFlag = (input: readonly NewStrategy[]): StrategyInput[] =>
  input.map(({ name, parameters, scopes = [], user_list_id }, at) => ({
    id: undefined,
    name: storedStrategyName(name),
    parameters: readParameters(parameters, `strategies[${at}]`),
    userListId: userList(user_list_id),
    scopes: newScopes(scopes.length === 0 ? EVERYWHERE : scopes),
  }));

const strategyInputOf = (row: ScopedStrategy): StrategyInput => ({
  id: row.id,
  name: row.name,
  parameters: parseJson(row.parameters),
  userListId: row.user_list_id,
  scopes: row.scopes.map(({ id, environment_scope }) => ({ id, environment_scope })),
});

function changedScopes(
  before: StrategyInput['scopes'],
  changes: NonNullable<ChangedStrategy['scopes']>,
  path: string,
): StrategyInput['scopes'] {
  const after = new Map(before.map((scope) => [scope.id, scope]));
  const added: StrategyInput['scopes'] = [];
  for (const [at, { id, environment_scope, _destroy = false }] of changes.entries()) {
    if (id === undefined) {
      if (_destroy) continue;
      if (environment_scope === undefined) {
        throw invalidParameter(`${path}[scopes][${at}][environment_scope] is missing`);
      }
      added.push({ id, environment_scope });
      continue;
    }
    const known = after.get(id);
    if (known === undefined) throw recordNotFound();
    if (_destroy) after.delete(id);
    else after.set(id, { id, environment_scope: environment_scope ?? known.environment_scope });
  }
  return [...after.values(), ...added];
}

function changed(before: StrategyInput, change: ChangedStrategy, path: string): StrategyInput {
  const name = change.name === undefined ? before.name : storedStrategyName(change.name);
  // The user list is kept unless the strategy gets another name.
  const currentList = name === before.name ? before.userListId : null;
  return {
    id: before.id,
    name,
    parameters: change.parameters === undefined ? before.parameters : readParameters(change.parameters, path),
    userListId: change.user_list_id === undefined ? currentList : userList(change.user_list_id),
    scopes: changedScopes(before.scopes, change.scopes ?? [], path),
  };
}

function added(change: ChangedStrategy, path: string): StrategyInput {
  if (change.name === undefined) throw invalidParameter(`${path}[name] is missing`);
  const scopes = changedScopes([], change.scopes ?? [], path);
  return {
    id: undefined,
    name: storedStrategyName(change.name),
    parameters: readParameters(change.parameters, path),
    userListId: userList(change.user_list_id),
    scopes: scopes.length === 0 ? newScopes(EVERYWHERE) : scopes,
  };
}

/**
 * Applies an update to the strategies of a flag; strategies that are not named are kept.
 * @throws ApiError 400; 404 for ids of other flags
 */
export function strategiesAfterChange(
  before: readonly ScopedStrategy[],
  changes: readonly ChangedStrategy[],
): StrategyInput[] {
  const after = new Map<number | undefined, StrategyInput>(before.map((row) => [row.id, strategyInputOf(row)]));
  const more: StrategyInput[] = [];
  for (const [at, change] of changes.entries()) {
    const path = `strategies[${at}]`;
    if (change.id === undefined) {
      if (change._destroy !== true) more.push(added(change, path));
      continue;
    }
    const known = after.get(change.id);
    if (known === undefined) throw recordNotFound();
    if (change._destroy === true) after.delete(change.id);
    else after.set(change.id, changed(known, change, path));
  }
  return [...after.values(), ...more];
}
