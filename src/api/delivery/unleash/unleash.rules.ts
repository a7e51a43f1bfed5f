import { setImmediate as nextTurn } from 'node:timers/promises';
import { matchesWildcard } from '../../../core/wildcard.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { FeatureFlagStrategiesTable } from '../../../db/tables/feature-flag-strategies.table.ts';

/** A flag and its strategies, serialized independently of the environment. */
interface FlagRules {
  /** JSON without the strategies and the closing brace. */
  head: string;
  strategies: { json: string; scopes: readonly number[] }[];
}

/** Flags of a project, from which documents of environments are assembled. */
export interface ProjectRules {
  version: number;
  /** Distinct environment scopes. */
  scopes: readonly string[];
  flags: readonly FlagRules[];
  /** Approximate total size in characters. */
  size: number;
}

/** Longer names match only `*`. */
const MAX_NAME = 255;
/** Number of scopes matched before yielding to the event loop: a few milliseconds. */
const TURN = 1_000;

async function versionOf(db: Db, projectId: number): Promise<number> {
  const row = await db
    .selectFrom('feature_flags_clients')
    .select('version')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row?.version ?? 0;
}

/** Serializes a strategy. Clients have no user lists, so these are sent as lists of ids. */
function strategyJson(
  { name, parameters }: { name: FeatureFlagStrategiesTable['name']; parameters: string },
  userIds: string | null,
): string {
  if (name === 'svcUserList') return JSON.stringify({ name: 'userWithId', parameters: { userIds: userIds ?? '' } });
  return JSON.stringify({ name, parameters: parseJson(parameters) });
}

async function readOnce(db: Db, projectId: number, version: number): Promise<ProjectRules> {
  const flags = await db
    .selectFrom('feature_flags')
    .select(['id', 'name', 'description', 'active'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  const strategies = await db
    .selectFrom('feature_flag_strategies as s')
    .innerJoin('feature_flags as f', 'f.id', 's.feature_flag_id')
    .leftJoin('feature_flag_user_lists as l', 'l.id', 's.user_list_id')
    .select(['s.id', 's.feature_flag_id', 's.name', 's.parameters', 'l.user_xids'])
    .where('f.project_id', '=', projectId)
    .orderBy('s.id')
    .execute();
  const scopes = await db
    .selectFrom('feature_flag_scopes as c')
    .innerJoin('feature_flag_strategies as s', 's.id', 'c.strategy_id')
    .innerJoin('feature_flags as f', 'f.id', 's.feature_flag_id')
    .select(['c.strategy_id', 'c.environment_scope'])
    .where('f.project_id', '=', projectId)
    .execute();
  const numbers = new Map<string, number>();
  const ofStrategy = new Map<number, number[]>();
  for (const { strategy_id, environment_scope } of scopes) {
    const number = numbers.get(environment_scope) ?? numbers.size;
    numbers.set(environment_scope, number);
    const known = ofStrategy.get(strategy_id);
    if (known === undefined) ofStrategy.set(strategy_id, [number]);
    else known.push(number);
  }
  const ofFlag = new Map<number, FlagRules['strategies']>(flags.map(({ id }) => [id, []]));
  let size = 1_000;
  for (const row of strategies) {
    const json = strategyJson(row, row.user_xids);
    size += json.length + 200;
    ofFlag.get(row.feature_flag_id)?.push({ json, scopes: ofStrategy.get(row.id) ?? [] });
  }
  return {
    version,
    scopes: [...numbers.keys()],
    flags: flags.map(({ id, name, description, active }) => {
      const attributes = { name, ...(description === null ? {} : { description }), enabled: active === 1 };
      return { head: JSON.stringify(attributes).slice(0, -1), strategies: ofFlag.get(id) ?? [] };
    }),
    size: size + flags.length * 500 + scopes.length * 50,
  };
}

/**
 * Reads the flags of a project with three queries; reads again if they changed in between, so that all are of one
 * version.
 */
export async function readRules(db: Db, projectId: number): Promise<ProjectRules> {
  let version = await versionOf(db, projectId);
  for (let tries = 1; ; tries += 1) {
    const rules = await readOnce(db, projectId, version);
    const now = await versionOf(db, projectId);
    if (now === version || tries === 5) return rules;
    version = now;
  }
}

/**
 * Returns the indexes of scopes that match an environment. Yields to the event loop, since clients choose the names.
 */
export async function scopesOf({ scopes }: Pick<ProjectRules, 'scopes'>, environment: string): Promise<number[]> {
  const isName = environment.length <= MAX_NAME;
  const fitting: number[] = [];
  for (const [number, scope] of scopes.entries()) {
    if (scope === '*' || (isName && matchesWildcard(scope, environment))) fitting.push(number);
    if ((number + 1) % TURN === 0) await nextTurn();
  }
  return fitting;
}

/** Assembles the JSON for an environment, leaving out flags without a matching strategy. */
export function documentOf({ flags }: ProjectRules, scopes: readonly number[]): string {
  const fitting = new Set(scopes);
  const features = flags.flatMap(({ head, strategies }) => {
    const counting = strategies.filter((strategy) => strategy.scopes.some((number) => fitting.has(number)));
    return counting.length === 0 ? [] : [`${head},"strategies":[${counting.map(({ json }) => json).join(',')}]}`];
  });
  return `{"version":1,"features":[${features.join(',')}]}`;
}
