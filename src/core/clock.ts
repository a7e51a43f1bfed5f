/** Source of the current time; tests pass a fixed one. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The current instant in the format of timestamp columns and answers: `2026-01-31T09:05:00.123Z`. */
export const timestamp = (clock: Clock): string => clock.now().toISOString();

/** Today in UTC as `2026-01-31`. */
export const today = (clock: Clock): string => timestamp(clock).slice(0, 10);

const DAY_MS = 86_400_000;

/** The day a number of days from now, `YYYY-MM-DD`. */
export const dayIn = (clock: Clock, days: number): string =>
  new Date(clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
