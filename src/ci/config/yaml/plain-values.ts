import { YamlError } from './yaml-error.ts';

const TEXT = /^[^\d.:-]?[\p{L}_\s!@#$%^&*(){}<>|/\\~;=]+/u;
/** Common numbers. */
const SMALL_INTEGER = /^(?:0|[1-9]\d{0,14})$/;
const DATE = /^\d{4}-(1[012]|0\d|\d)-([12]\d|3[01]|0\d|\d)$/;
/** A date with time. */
const INSTANT = /^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$/;
const BASE_60 = /^[-+]?\d[\d_]*(:[0-5]?\d){1,2}$/;
const FLOAT = /^[-+]?(\d[\d_,]*)?\.\d*([eE][+-]\d+)?$/;
const INTEGER = /^[-+]?(?:0b_*[01][01_]*|0_*[0-7][0-7_]*|0|[1-9](?:\d|,\d|_\d)*|0x_*[\da-fA-F][\da-fA-F_]*)$/;

/**
 * Value of a plain scalar by YAML 1.1 as read by Ruby: `yes` and `on` are true, `0755` is octal, `1:30` is sexagesimal.
 * Numbers that would be written differently (`1.0`, 20 digits) are kept as text.
 * @throws YamlError for a date or an instant, which configurations cannot contain
 */
export function plainValue(text: string): string | number | boolean | null {
  if (text === '') return null;
  if (SMALL_INTEGER.test(text)) return Number(text);
  if (text.includes('\n') || TEXT.test(text)) return text.length > 5 ? text : wordValue(text);
  if (INSTANT.test(text)) throw new YamlError('Tried to load unspecified class: Time');
  const date = DATE.exec(text);
  if (date !== null) {
    const day = Number(date[2]);
    if (day > 0 && Number(date[1]) > 0 && day <= daysOf(Number(text.slice(0, 4)), Number(date[1])))
      throw new YamlError('Tried to load unspecified class: Date');
    return text;
  }
  if (/^\+?\.inf$/i.test(text)) return Infinity;
  if (/^-\.inf$/i.test(text)) return -Infinity;
  if (/^\.nan$/i.test(text)) return Number.NaN;
  if (BASE_60.test(text)) return base60(text);
  if (FLOAT.test(text) && !/^[-+]?\.$/.test(text)) return floatValue(text);
  if (INTEGER.test(text)) return integerValue(text.replaceAll(/[,_]/g, ''));
  return text;
}

const daysOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

function wordValue(text: string): string | boolean | null {
  const word = text.toLowerCase();
  if (word === '~' || word === 'null') return null;
  if (word === 'yes' || word === 'true' || word === 'on') return true;
  if (word === 'no' || word === 'false' || word === 'off') return false;
  return text;
}

function base60(text: string): number {
  return text
    .split(':')
    .reduce((sum, part, place) => sum + Number.parseInt(part.replaceAll('_', ''), 10) * 60 ** Math.abs(place - 2), 0);
}

function floatValue(text: string): number | string {
  const value = Number(text.replaceAll(/[,_]/g, '').replace(/\.(?=[eE]|$)/, ''));
  if (!Number.isInteger(value)) return Number.isNaN(value) ? text : value;
  return Math.abs(value) < 1e16
    ? `${Object.is(value, -0) ? '-0' : value}.0`
    : value.toExponential().replace(/^(-?\d)e/, '$1.0e');
}

function integerValue(text: string): number | string {
  const sign = text.startsWith('-') ? -1n : 1n;
  const digits = text.replace(/^[-+]/, '');
  const value = sign * BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** Whether `plainValue` keeps a number as text. */
export const looksLikeNumber = (text: string): boolean =>
  /^[-+]?[\d,_]*\d\.\d*(?:[eE][+-]\d+)?$/.test(text) || /^[-+]?\d{16,}$/.test(text);
