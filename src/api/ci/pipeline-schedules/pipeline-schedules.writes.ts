import type { UserCaller } from '../../../access/caller.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, invalidModel, notFound } from '../../../core/core.errors.ts';
import { CronSchedule } from '../../../core/cron.ts';
import { zoneName } from '../../../core/time-zones.ts';
import { bit, parseJson } from '../../../db/columns.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { CiPipelineSchedule } from '../../../db/tables/ci-pipeline-schedules.table.ts';
import type { Deps } from '../../../deps.ts';
import { isValidRefName } from '../../../git/common/index.ts';
import { nextRunOf } from '../../../pipelines/creation/schedules.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { orUnlimited, planLimits } from '../../../settings/settings.plan-limits.ts';
import type { UserScope } from '../../object-access.ts';
import { mayRunSchedule } from './pipeline-schedules.access.ts';
import { findSchedule, schedulesOf } from './pipeline-schedules.queries.ts';

interface Input {
  name: string;
  value?: unknown;
  destroy?: boolean;
}

export interface ScheduleAttributes {
  description?: string;
  ref?: string;
  cron?: string;
  cron_timezone?: string;
  active?: boolean;
  inputs?: readonly Input[];
}

/** Maximum number of inputs per schedule. */
const MAX_INPUTS = 20;
const MAX_TEXT = 255;
const MAX_INPUT = 10_000;

type ScheduleInput = Pick<CiPipelineSchedule, 'description' | 'ref' | 'cron' | 'cron_timezone' | 'active' | 'inputs'>;

function check(input: ScheduleInput): void {
  const errors: FieldErrors = {};
  const blank = ["can't be blank"];
  if (input.description.trim() === '') errors.description = blank;
  else if (input.description.length > MAX_TEXT)
    errors.description = [`is too long (maximum is ${MAX_TEXT} characters)`];
  if (input.ref === '') errors.ref = blank;
  else if (!isValidRefName(input.ref)) errors.ref = ['is invalid'];
  if (zoneName(input.cron_timezone) === null) errors.cron_timezone = ['syntax is invalid'];
  // The time zone does not matter for the syntax.
  if (CronSchedule.parse(input.cron, 'UTC') === null) errors.cron = ['syntax is invalid'];
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** Returns the full name of a branch or tag; a missing ref counts as a branch. @throws ApiError 400 if both exist */
async function fullRef(deps: Deps, { project }: UserScope, ref: string): Promise<string> {
  const short = ref.trim();
  if (short === '' || /^refs\/(heads|tags)\/./.test(short)) return short;
  const { refs } = repositoryOf(deps, project);
  const isTag = (await refs.resolve(`refs/tags/${short}`)) !== null;
  if (!isTag) return `refs/heads/${short}`;
  if ((await refs.resolve(`refs/heads/${short}`)) !== null) throw invalidModel({ ref: ['is ambiguous'] });
  return `refs/tags/${short}`;
}

/** Merges changed inputs into existing ones, by name. @throws ApiError 400 */
function mergedInputs(before: readonly Input[], changes: readonly Input[]): string {
  const merged = new Map(before.map(({ name, value }) => [name, value]));
  for (const { name, value, destroy } of changes) {
    const key = name.trim();
    if (key === '' || key.length > MAX_TEXT)
      throw invalidModel({ inputs: ['must each have a name of 1 to 255 characters'] });
    if (destroy === true) merged.delete(key);
    else merged.set(key, checkedInput(key, value));
  }
  if (merged.size > MAX_INPUTS) throw invalidModel({ base: [`There cannot be more than ${MAX_INPUTS} inputs`] });
  return JSON.stringify([...merged].map(([name, value]) => ({ name, value })));
}

function checkedInput(name: string, value: unknown): unknown {
  const simple = (each: unknown) => ['string', 'number', 'boolean'].includes(typeof each);
  const length = JSON.stringify(value ?? null).length;
  if ((simple(value) || Array.isArray(value)) && length <= MAX_INPUT) return value;
  throw invalidModel({
    inputs: [`${name} must be a string, a number, a boolean or an array of at most ${MAX_INPUT} characters`],
  });
}

const unauthorizedTo = (verb: 'create' | 'update') =>
  invalidModel({ base: [`The current user is not authorized to ${verb} the pipeline schedule`] });

/** Creates a schedule, owned by the user. @throws ApiError 400, 404 */
export async function createSchedule(
  deps: Deps,
  scope: UserScope,
  input: ScheduleAttributes & { description: string; ref: string; cron: string },
): Promise<CiPipelineSchedule> {
  const schedule: ScheduleInput = {
    description: input.description,
    ref: await fullRef(deps, scope, input.ref),
    cron: input.cron.trim(),
    cron_timezone: input.cron_timezone ?? 'UTC',
    active: bit(input.active ?? true),
    inputs: mergedInputs([], input.inputs ?? []),
  };
  check(schedule);
  if (!(await mayRunSchedule(deps, scope, schedule))) throw unauthorizedTo('create');
  const now = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    if (!(await lockRow(db, 'projects', scope.project.id))) throw notFound();
    const row = await db
      .insertInto('ci_pipeline_schedules')
      .values({
        ...schedule,
        project_id: scope.project.id,
        owner_id: scope.caller.user.id,
        next_run_at: nextRunOf(schedule, deps.clock.now()),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const limit = (await planLimits(transactionDeps(deps, db))).ci_pipeline_schedules;
    const { total } = await schedulesOf(db, scope.project.id)
      .clearSelect()
      .clearOrderBy()
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    if (Number(total) > orUnlimited(limit)) {
      throw invalidModel({ base: [`Maximum number of ci pipeline schedules (${limit}) exceeded`] });
    }
    return row;
  });
}

/** Updates the given attributes. @throws ApiError 400, 404 */
export async function updateSchedule(
  deps: Deps,
  scope: UserScope & { schedule: CiPipelineSchedule },
  input: ScheduleAttributes,
): Promise<CiPipelineSchedule> {
  const ref = input.ref === undefined ? undefined : await fullRef(deps, scope, input.ref);
  if (ref !== undefined && !(await mayRunSchedule(deps, scope, { ref }))) throw unauthorizedTo('update');
  return deps.db.transaction().execute(async (db) => {
    const row = await findSchedule(db, scope.project.id, scope.schedule.id);
    const schedule: ScheduleInput = {
      description: input.description ?? row.description,
      ref: ref ?? row.ref,
      cron: input.cron?.trim() ?? row.cron,
      cron_timezone: input.cron_timezone ?? row.cron_timezone,
      active: input.active === undefined ? row.active : bit(input.active),
      inputs: input.inputs === undefined ? row.inputs : mergedInputs(parseJson<Input[]>(row.inputs), input.inputs),
    };
    check(schedule);
    if (schedule.active === 1 && row.active === 0) await requireOwner({ ...deps, db }, row);
    const sameTimes = schedule.cron === row.cron && schedule.cron_timezone === row.cron_timezone;
    const unchanged = sameTimes && schedule.active === row.active;
    const next_run_at = unchanged ? row.next_run_at : nextRunOf(schedule, deps.clock.now());
    return db
      .updateTable('ci_pipeline_schedules')
      .set({ ...schedule, next_run_at, updated_at: timestamp(deps.clock) })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule'));
  });
}

/** Refuses to run a schedule whose owner is deleted or blocked. @throws ApiError 400 */
async function requireOwner({ db }: Pick<Deps, 'db'>, { owner_id }: CiPipelineSchedule): Promise<void> {
  const owner =
    owner_id === null
      ? undefined
      : await db.selectFrom('users').select('state').where('id', '=', owner_id).executeTakeFirst();
  if (owner?.state === 'active') return;
  throw invalidModel({ owner: ['is deleted or blocked: take ownership of the schedule first'] });
}

/** Makes the caller the owner; its pipelines then run as them. @throws ApiError 404 */
export async function takeOwnership(
  { db, clock }: Deps,
  schedule: CiPipelineSchedule,
  { user }: UserCaller,
): Promise<CiPipelineSchedule> {
  return db
    .updateTable('ci_pipeline_schedules')
    .set({ owner_id: user.id, updated_at: timestamp(clock) })
    .where('id', '=', schedule.id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Pipeline Schedule'));
}
