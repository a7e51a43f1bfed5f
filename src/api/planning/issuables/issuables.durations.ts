const HOUR = 3_600;
const DAY = 8 * HOUR;
const WEEK = 5 * DAY;
const MONTH = 4 * WEEK;

/** Seconds per unit of working time: a day has 8 hours, a week 5 days, a month 4 weeks. */
const UNITS = { mo: MONTH, w: WEEK, d: DAY, h: HOUR, m: 60, s: 1 } as const;
type Unit = keyof typeof UNITS;

const WORDS: Readonly<Record<string, Unit>> = {
  mo: 'mo',
  mos: 'mo',
  month: 'mo',
  months: 'mo',
  w: 'w',
  wk: 'w',
  week: 'w',
  weeks: 'w',
  d: 'd',
  day: 'd',
  days: 'd',
  h: 'h',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  m: 'm',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  s: 's',
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
};

const MAX_LENGTH = 100;
/** Maximum of the platform's column. */
const MAX_SECONDS = 2_147_483_647;

/**
 * Parses a duration to seconds: `1h30m`, `3d 2h`, `2w`, `1.5h`, `90` (hours by default, as on the platform), with a
 * minus sign for time to subtract.
 * @returns null if it is not a duration
 */
export function parseDuration(text: string): number | null {
  const tidy = text.trim().toLowerCase();
  if (tidy === '' || tidy.length > MAX_LENGTH) return null;
  const negative = tidy.startsWith('-');
  let rest = negative ? tidy.slice(1) : tidy;
  if (/^\d+(\.\d+)?$/.test(rest)) rest = `${rest}h`;
  let seconds = 0;
  while (rest !== '') {
    const part = /^\s*(?:and\b|,)?\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*/.exec(rest);
    const unit = part === null ? undefined : WORDS[part[2]!];
    if (part === null || unit === undefined) return null;
    seconds += Number(part[1]) * UNITS[unit];
    rest = rest.slice(part[0].length);
  }
  const whole = Math.round(seconds);
  return whole > MAX_SECONDS ? null : negative ? -whole : whole;
}

/** Formats a duration, such as `1w 2d 3h`; null for 0. @param seconds may be negative */
export function humanDuration(seconds: number): string | null {
  if (seconds === 0) return null;
  const parts: string[] = [];
  let rest = Math.abs(seconds);
  for (const [unit, size] of Object.entries(UNITS)) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}
