import type { SettingKind } from '../../settings/application/field.ts';
import { SETTINGS } from '../../settings/settings-table.ts';
import { parametersOf } from '../seed/seed-fields.ts';
import { hooksOf, variableOf } from './export-belongings.ts';
import { levelName } from './export-levels.ts';
import {
  type Answer,
  differing,
  type ExportSource,
  flags,
  listAll,
  listById,
  pick,
  unlessEmpty,
} from './export-source.ts';

/** What a server has before its users: roles and topics. */
export async function beginningOf(source: ExportSource): Promise<Answer> {
  return {
    features: unlessEmpty(await featuresOf(source)),
    member_roles: (await listById(source, '/member_roles')).map(roleOf),
    topics: (await listById(source, '/topics')).map((topic) => pick(topic, ['name', 'title', 'description'])),
  };
}

/** What a server has after its projects, and its settings. */
export async function restOf(source: ExportSource): Promise<Answer> {
  return {
    variables: (await listAll(source, '/admin/ci/variables')).map(variableOf),
    broadcast_messages: (await listById(source, '/broadcast_messages')).map((message) => ({
      ...pick(message, ['message', 'starts_at', 'ends_at', 'broadcast_type', 'theme', 'target_path']),
      target_access_levels: ((message.target_access_levels ?? []) as unknown[]).map(levelName),
      ...flags(message, ['dismissable']),
    })),
    hooks: await hooksOf(source, '/hooks', 'POST /hooks'),
    settings: unlessEmpty(await settingsOf(source)),
    ...(await benchOf(source)),
  };
}

function roleOf(role: Answer): Answer {
  const abilities = Object.keys(role).filter((key) => role[key] === true);
  return {
    ...pick(role, ['name', 'description']),
    base_access_level: levelName(role.base_access_level),
    ...flags(role, abilities),
  };
}

/** Switches that are the same for everybody. */
async function featuresOf(source: ExportSource): Promise<Answer> {
  const features = await listAll(source, '/features');
  return Object.fromEntries(
    features.flatMap(({ name, state }) => (state === 'on' || state === 'off' ? [[name, state === 'on']] : [])),
  );
}

/** Application settings that differ from the defaults, without secrets. */
async function settingsOf(source: ExportSource): Promise<Answer> {
  const shown = ((await source.get('/application/settings')) ?? {}) as Answer;
  const known = Object.entries(SETTINGS).filter(
    ([name, { kind }]) => kind !== 'secret' && parametersOf('PUT /application/settings').has(name),
  );
  const settings = Object.fromEntries(known.map(([name, { kind }]) => [name, asParameter(kind, shown[name])]));
  const defaults = Object.fromEntries(known.map(([name, setting]) => [name, setting.default]));
  return differing(settings, Object.keys(settings), defaults);
}

/** A setting as it is given: two kinds are shown otherwise. */
function asParameter(kind: SettingKind, value: unknown): unknown {
  if (kind === 'decimal' && typeof value === 'string') return Number(value);
  return kind === 'addresses' && Array.isArray(value) ? value.join(',') : value;
}

/** Clock and faults of the test bench; none without one. */
async function benchOf(source: ExportSource): Promise<Answer> {
  const clock = (await source.get('/-/bench/clock')) as { now: string; offset: number; frozen: boolean } | null;
  const faults = ((await source.get('/-/bench/faults')) ?? []) as Answer[];
  const isMoved = clock !== null && (clock.frozen || clock.offset !== 0);
  return {
    clock: isMoved ? { now: clock.now, ...flags({ ...clock }, ['frozen']) } : undefined,
    faults: faults.map(({ match, act }) => ({ match, act })),
  };
}
