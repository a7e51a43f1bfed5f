/* Formats of instants. The platform uses different ones by kind of payload, and receivers expect them. */

/** `2026-01-31T09:05:00Z` */
export const isoSeconds = (instant: string): string => `${instant.slice(0, 19)}Z`;

/** `2026-01-31 09:05:00 UTC` */
export const utcText = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;

/** Applies a format to an instant that may be absent. */
export const orNull = (write: (instant: string) => string, instant: string | null): string | null =>
  instant === null ? null : write(instant);
