const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly { seconds: number; words: readonly string[] }[] = [
  { seconds: 1, words: ['s', 'sec', 'secs', 'second', 'seconds'] },
  { seconds: MINUTE, words: ['m', 'min', 'mins', 'minute', 'minutes'] },
  { seconds: HOUR, words: ['h', 'hr', 'hrs', 'hour', 'hours'] },
  { seconds: DAY, words: ['d', 'dy', 'day', 'days'] },
  { seconds: 7 * DAY, words: ['w', 'wk', 'wks', 'week', 'weeks'] },
  { seconds: 30 * DAY, words: ['mo', 'mos', 'month', 'months'] },
  { seconds: 365.25 * DAY, words: ['y', 'yr', 'yrs', 'year', 'years'] },
];
const SECONDS_OF = new Map(UNITS.flatMap(({ seconds, words }) => words.map((word) => [word, seconds] as const)));

const JOINING = new Set(['and', 'with', 'plus']);

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const NUMBERS = new Map([
  ...SMALL.split(' ').map((word, number) => [word, number] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, at) => [word, (at + 2) * 10] as const),
]);

/** Maximum length of a duration text. */
const LONGEST = 200;
const NUMBER = /^\d*\.?\d+$/;
/** `1:30:00`: hours, minutes and seconds; days, months and years may stand before them. */
const CLOCK = /^\d*\.?\d+(:\d*\.?\d+){1,5}$/;
const CLOCK_SECONDS = [1, MINUTE, HOUR, DAY, 30 * DAY, 365.25 * DAY];

function clock(text: string): number {
  return text
    .split(':')
    .reverse()
    .reduce((sum, part, at) => sum + Number(part) * CLOCK_SECONDS[at]!, 0);
}

function words(text: string): number | null {
  let sum = 0;
  let number: number | null = null;
  let first = true;
  for (const word of text.replaceAll(/\d*\.?\d+/g, ' $& ').split(/[\s,]+/)) {
    if (word === '' || JOINING.has(word)) continue;
    const seconds = SECONDS_OF.get(word);
    const figure = NUMBER.test(word) ? Number(word) : NUMBERS.get(word);
    if (seconds !== undefined) sum += (number ?? (first ? 1 : 0)) * seconds;
    else if (figure === undefined) return null;
    number = seconds === undefined ? figure! : null;
    first = false;
  }
  return sum + (number ?? 0);
}

/**
 * Parses a duration to seconds: `1h30m`, `3 mins 4 sec`, `3 weeks and 2 days`, `1:30:00`; a bare number is seconds, and
 * a bare unit is one of it. A month has 30 days, a year 365.25.
 * @returns null for invalid and zero durations
 */
export function parseDuration(text: string): number | null {
  if (text.length > LONGEST) return null;
  const lower = text.toLowerCase().trim();
  const together = lower.replaceAll(/\s/g, '');
  const seconds = CLOCK.test(together) ? clock(together) : words(lower);
  return seconds === null || seconds === 0 || !Number.isSafeInteger(Math.ceil(seconds)) ? null : Math.floor(seconds);
}

/** Parses `expire_in` and similar values: seconds, `never`, or null if it is invalid. */
export function parseExpiry(text: string): number | 'never' | null {
  return text.toLowerCase() === 'never' ? 'never' : parseDuration(text);
}
