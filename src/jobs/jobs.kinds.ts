/**
 * The lanes of background work, each with the number of jobs that a process runs at once. A full lane does not delay
 * the others. `git`: changes of repositories; `events`: follow-up of events; `outgoing`: calls of other servers;
 * `hooks`: webhooks; `retries`: webhooks that failed; `mail`: mails; `mirrors`: fetches and pushes of mirrors; `ci`:
 * pipelines; `moves`: repository storage moves; `transfers`: exports and imports; `slow`: work that may take many
 * minutes.
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
 * Lanes whose jobs call other servers. Their completion is flushed to disk, so that a power failure does not repeat old
 * calls.
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
 * Number of jobs in a lane that the projects below one root namespace run at once in a process, so that slow servers of
 * one namespace leave room for others.
 */
export const ROOT_QUOTAS: Partial<Record<Lane, number>> = { hooks: 12, retries: 6, mirrors: 3, transfers: 2 };

/** A kind of job; the name is part of stored jobs. `Payload` is the type of their JSON payload. */
export interface JobKind<Payload = unknown> {
  readonly name: string;
  readonly lane: Lane;
  /** After this many failures, or an error with `permanent` set, the job becomes dead, for a person to look at. */
  readonly maxAttempts: number;
  /** Maximum duration of a run in milliseconds; then its signal is aborted, and soon after the run is abandoned. */
  readonly timeoutMs: number;
  /** For the compiler only. */
  readonly payload?: Payload;
}

const ATTEMPTS = 20;
const TIMEOUT_MS = 600_000;

/** Declares a kind of job, once, in a module that both its producer and its handler import. */
export const jobKind = <Payload>(
  name: string,
  { lane, maxAttempts = ATTEMPTS, timeoutMs = TIMEOUT_MS }: { lane: Lane; maxAttempts?: number; timeoutMs?: number },
): JobKind<Payload> => ({ name, lane, maxAttempts, timeoutMs });

/** A schedule of recurring work: every so many milliseconds, or daily at a time such as `03:30` (UTC). */
export type Schedule = { everyMs: number } | { dailyAt: string };

const DAY_MS = 86_400_000;

/** The next time of a schedule after an instant. */
export function nextRun(schedule: Schedule, after: Date): Date {
  const now = after.getTime();
  if ('everyMs' in schedule) return new Date(now + schedule.everyMs);
  const [hours = 0, minutes = 0] = schedule.dailyAt.split(':').map(Number);
  const today = now - (now % DAY_MS) + (hours * 60 + minutes) * 60_000;
  return new Date(today > now ? today : today + DAY_MS);
}
