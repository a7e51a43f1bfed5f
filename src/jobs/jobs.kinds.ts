/**
 * The lanes of background work, each with the number of its jobs that one process runs at once: what fills one lane holds
 * up no other. `git` changes repositories or waits for one, `events` follows up what happened, `outgoing` waits for
 * servers elsewhere, `hooks` tells webhooks what happened, `retries` those that failed last, `mail` gives mails to the mail
 * server, `mirrors` fetches and pushes repositories, `ci` is for pipelines, `moves` copies repositories to other storages,
 * `transfers` exports and imports groups and projects, `slow` is for what may take many minutes.
 */
export const LANES = {
  git: 3,
  events: 3,
  outgoing: 16,
  hooks: 32,
  retries: 16,
  mail: 4,
  mirrors: 8,
  ci: 4,
  moves: 3,
  transfers: 3,
  slow: 2,
} as const satisfies Record<string, number>;
export type Lane = keyof typeof LANES;

/**
 * Lanes whose jobs reach servers elsewhere: that one has ended is on disk before it counts, lest a failure of power have
 * somebody told again of what they were told long ago.
 */
export const OUTBOUND_LANES: ReadonlySet<Lane> = new Set([
  'outgoing',
  'hooks',
  'retries',
  'mail',
  'mirrors',
  'transfers',
] satisfies Lane[]);

/**
 * How many jobs of a lane the projects below one root namespace run at once in a process: what waits for the slow servers
 * of one of them leaves room for all others.
 */
export const ROOT_QUOTAS: Partial<Record<Lane, number>> = { hooks: 12, retries: 6, mirrors: 3, transfers: 2 };

/** A kind of job: its name is part of stored jobs. `Payload` is what its jobs carry, as JSON. */
export interface JobKind<Payload = unknown> {
  readonly name: string;
  readonly lane: Lane;
  /** After so many failures, or one whose error says that it is `permanent`, the job is kept as dead, for a person to look at. */
  readonly maxAttempts: number;
  /** Milliseconds a run may take: then it is told to end by its signal, and left a little later. */
  readonly timeoutMs: number;
  /** There for the compiler alone. */
  readonly payload?: Payload;
}

const ATTEMPTS = 20;
const TIMEOUT_MS = 600_000;

/** Describes a kind of job, once, where both who asks for one and who does it find it. */
export const jobKind = <Payload>(
  name: string,
  { lane, maxAttempts = ATTEMPTS, timeoutMs = TIMEOUT_MS }: { lane: Lane; maxAttempts?: number; timeoutMs?: number },
): JobKind<Payload> => ({ name, lane, maxAttempts, timeoutMs });

/** When work recurs: every so many milliseconds, or every day at a time such as `03:30` (UTC). */
export type Schedule = { everyMs: number } | { dailyAt: string };

const DAY_MS = 86_400_000;

/** When work of a schedule comes next after an instant. */
export function nextRun(schedule: Schedule, after: Date): Date {
  const now = after.getTime();
  if ('everyMs' in schedule) return new Date(now + schedule.everyMs);
  const [hours = 0, minutes = 0] = schedule.dailyAt.split(':').map(Number);
  const today = now - (now % DAY_MS) + (hours * 60 + minutes) * 60_000;
  return new Date(today > now ? today : today + DAY_MS);
}
