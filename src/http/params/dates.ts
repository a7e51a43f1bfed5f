const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Parses a day or an instant as sent by clients (ISO 8601, a space instead of `T`, UTC without a zone).
 * @returns `YYYY-MM-DDTHH:MM:SS.mmmZ`, or `YYYY-MM-DD` if only the day is wanted; null if it is invalid
 */
export function parseInstant(text: string, dayOnly: boolean): string | null {
  const match = SHAPE.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const offset = /^(z|utc)$/i.test(zone) ? 'Z' : zone.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  // Date turns 31 February into March; the day in its own zone must equal the written one.
  const valid = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || Number.isNaN(valid.getTime()) || valid.getUTCDate() !== Number(day)) return null;
  if (dayOnly) return `${year}-${month}-${day}`;
  // Near year 0 or 9999 a zone can lead to more than four digits, which would break the text order of timestamps.
  const instant = date.toISOString();
  return instant.length === 24 ? instant : null;
}
