import type { Updateable } from 'kysely';
import { EntryCache } from '../../../core/cache/index.ts';
import { onForget } from '../../../core/forgetting.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiRunnerManagersTable } from '../../../db/tables/ci-runner-managers.table.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';

/** Maximum number of machines per runner; inactive ones are removed daily. */
const MAX_MANAGERS = 1_000;
/** Random interval after which a contact is written again, so that writes spread out. */
const [MIN_UNWRITTEN_MS, MAX_UNWRITTEN_MS] = [40 * 60_000, 55 * 60_000];
const MAX_TEXT = 255;
/** Name of the machine of a runner that sends no system id. */
export const UNNAMED_MACHINE = '<legacy>';

/** Stored information about a machine. */
export interface RunnerMachine {
  version?: string;
  revision?: string;
  platform?: string;
  architecture?: string;
  executor?: string;
  features?: Record<string, boolean>;
  config?: object;
  labels?: Record<string, string>;
}

interface Contact {
  managerId: number;
  /** Time in milliseconds. */
  at: number;
  /** When to write it to the database again. */
  writeAt: number;
  /** Last written information about the machine. */
  written: string;
}

interface Memory {
  machines: EntryCache<string, Contact>;
  /** Last contact of each runner, by id. */
  runners: EntryCache<number, number>;
}

/** Contacts known to this process; the database is updated about every forty minutes. */
const memories = new WeakMap<Db, Memory>();

function memoryOf(db: Db): Memory {
  const known = memories.get(db);
  if (known !== undefined) return known;
  const fresh: Memory = { machines: new EntryCache('runner_machines'), runners: new EntryCache('runner_contacts') };
  memories.set(db, fresh);
  onForget(db, () => {
    fresh.machines.clear();
    fresh.runners.clear();
  });
  return fresh;
}

const LABEL_KEY = /^[A-Za-z0-9_][A-Za-z0-9._-]{2,64}$/;
const LABEL_VALUE = /^[A-Za-z0-9._-]{1,256}$/;

const cut = (text: string | undefined): string | null => text?.slice(0, MAX_TEXT) ?? null;

function columnsOf(machine: RunnerMachine, ip: string): Updateable<CiRunnerManagersTable> {
  const labels = Object.entries(machine.labels ?? {}).filter(
    ([key, value]) => LABEL_KEY.test(key) && LABEL_VALUE.test(value),
  );
  return {
    version: cut(machine.version),
    revision: cut(machine.revision),
    platform: cut(machine.platform),
    architecture: cut(machine.architecture),
    executor: cut(machine.executor),
    ip_address: ip,
    features: JSON.stringify(machine.features ?? {}),
    config: JSON.stringify(machine.config ?? {}),
    labels: JSON.stringify(Object.fromEntries(labels)),
  };
}

export interface RunnerContact {
  runner: Pick<CiRunner, 'id' | 'requested'>;
  systemId: string | undefined;
  /** Absent if the request contains no information about the machine. */
  machine: RunnerMachine | undefined;
  ip: string;
  /** Whether it requests a job: the runner counts as used from the first request on. */
  requests?: boolean;
}

/**
 * Records a contact of a machine of a runner, mostly in memory only.
 * @returns id of the machine's row; null if the runner has too many machines or was deleted
 */
export async function recordContact(deps: Deps, contact: RunnerContact): Promise<number | null> {
  const { runner, machine, ip } = contact;
  const systemId = contact.systemId ?? UNNAMED_MACHINE;
  const memory = memoryOf(deps.db);
  const key = `${runner.id}:${systemId}`;
  const now = deps.clock.now().getTime();
  const columns = machine === undefined ? undefined : columnsOf(machine, ip);
  const serialized = columns === undefined ? undefined : JSON.stringify(columns);
  const known = memory.machines.get(key);
  const first = contact.requests === true && runner.requested === 0;
  if (
    known !== undefined &&
    now < known.writeAt &&
    (serialized === undefined || serialized === known.written) &&
    !first
  ) {
    known.at = now;
    memory.runners.set(runner.id, now);
    return known.managerId;
  }
  const managerId = await writeContact(deps, { ...contact, systemId }, columns);
  if (managerId === null) return null;
  const writeAt = now + MIN_UNWRITTEN_MS + Math.random() * (MAX_UNWRITTEN_MS - MIN_UNWRITTEN_MS);
  memory.machines.set(key, { managerId, at: now, writeAt, written: serialized ?? known?.written ?? '' });
  memory.runners.set(runner.id, now);
  return managerId;
}

/** As `recordContact` for a known machine, in requests about its jobs. */
export async function recordMachine(deps: Deps, runnerId: number | null, managerId: number | null): Promise<void> {
  if (runnerId === null) return;
  const memory = memoryOf(deps.db);
  const now = deps.clock.now().getTime();
  const before = memory.runners.get(runnerId);
  memory.runners.set(runnerId, now);
  if (before !== undefined && now - before < MIN_UNWRITTEN_MS) return;
  const contacted_at = new Date(now).toISOString();
  await deps.db.updateTable('ci_runners').set({ contacted_at }).where('id', '=', runnerId).execute();
  if (managerId === null) return;
  await deps.db.updateTable('ci_runner_managers').set({ contacted_at }).where('id', '=', managerId).execute();
}

function writeContact(
  deps: Deps,
  { runner, systemId, requests }: RunnerContact & { systemId: string },
  columns: Updateable<CiRunnerManagersTable> | undefined,
): Promise<number | null> {
  const contacted_at = deps.clock.now().toISOString();
  return deps.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('ci_runners')
      .set({ contacted_at, ...(requests === true ? { requested: 1 as const } : {}) })
      .where('id', '=', runner.id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return null;
    const updated = await db
      .updateTable('ci_runner_managers')
      .set({ ...columns, contacted_at })
      .where('runner_id', '=', runner.id)
      .where('system_id', '=', systemId)
      .returning('id')
      .executeTakeFirst();
    if (updated !== undefined) return updated.id;
    // The row of the runner, changed above, stays locked until the commit, so that no other machine is added meanwhile.
    const rows = await db
      .selectFrom('ci_runner_managers')
      .select('id')
      .where('runner_id', '=', runner.id)
      .limit(MAX_MANAGERS)
      .execute();
    if (rows.length === MAX_MANAGERS) return null;
    const made = await db
      .insertInto('ci_runner_managers')
      .values({ ...columns, runner_id: runner.id, system_id: systemId, contacted_at, created_at: contacted_at })
      .returning('id')
      .executeTakeFirstOrThrow();
    return made.id;
  });
}

const later = (stored: string | null, heardAt: number | undefined): string | null => {
  if (heardAt === undefined) return stored;
  const contact = new Date(heardAt).toISOString();
  return stored === null || stored < contact ? contact : stored;
};

/** Last contact of a runner, as far as this process knows. */
export const runnerContact = (db: Db, { id, contacted_at }: Pick<CiRunner, 'id' | 'contacted_at'>): string | null =>
  later(contacted_at, memoryOf(db).runners.get(id));

/** Last contact of a machine. */
export const machineContact = (
  db: Db,
  { runner_id, system_id, contacted_at }: { runner_id: number; system_id: string; contacted_at: string | null },
): string | null => later(contacted_at, memoryOf(db).machines.get(`${runner_id}:${system_id}`)?.at);

/** Removes a deleted machine from memory. */
export function deleteMachine(db: Db, runnerId: number, systemId: string): void {
  memoryOf(db).machines.delete(`${runnerId}:${systemId}`);
}
