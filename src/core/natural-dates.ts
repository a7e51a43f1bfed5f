/** Maximum length of a date text. */
const MAX_TEXT = 100;

/**
 * Parses a day written in natural language: `2026-12-31`, `tomorrow`, `in 2 days`, `next Friday`, `December 31st`.
 * Without a year the next such day is meant.
 * @param now reference time
 * @returns `2026-12-31`; null if it is not a date
 */
export async function parseNaturalDate(text: string, now: Date): Promise<string | null> {
  const tidy = text.trim();
  if (tidy === '' || tidy.length > MAX_TEXT) return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(tidy)) return isNaturalDate(tidy) ? tidy : null;
  // Loaded on demand, because few processes need it.
  const { casual } = await import('chrono-node/en');
  const [parsedDate] = casual.parse(tidy, { instant: now, timezone: 0 }, { forwardDate: true });
  const parts = (['year', 'month', 'day'] as const).map((part) => parsedDate?.start.get(part) ?? 0);
  const day = `${String(parts[0]).padStart(4, '0')}-${parts
    .slice(1)
    .map((part) => String(part).padStart(2, '0'))
    .join('-')}`;
  return parsedDate !== undefined && isNaturalDate(day) ? day : null;
}

/** Whether the day exists. */
export function isNaturalDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
