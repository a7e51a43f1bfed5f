/** Longer texts are no dates. */
const MAX_TEXT = 100;

/**
 * The day that a text says as people write it: `2026-12-31`, `tomorrow`, `in 2 days`, `next Friday`, `December 31st`. A day without a
 * year is the next one.
 * @param now what it counts from
 * @returns as `2026-12-31`; null for what is no date
 */
export async function parseNaturalDate(text: string, now: Date): Promise<string | null> {
  const tidy = text.trim();
  if (tidy === '' || tidy.length > MAX_TEXT) return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(tidy)) return isNaturalDate(tidy) ? tidy : null;
  // Few processes ever need it.
  const { casual } = await import('chrono-node/en');
  const [found] = casual.parse(tidy, { instant: now, timezone: 0 }, { forwardDate: true });
  const parts = (['year', 'month', 'day'] as const).map((part) => found?.start.get(part) ?? 0);
  const day = `${String(parts[0]).padStart(4, '0')}-${parts
    .slice(1)
    .map((part) => String(part).padStart(2, '0'))
    .join('-')}`;
  return found !== undefined && isNaturalDate(day) ? day : null;
}

/** Whether there is such a day. */
export function isNaturalDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
