const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const FILE = /^[\w.+!-]+$/;
const MAX_LENGTH = 255;

const NUMBERS = '(\\d+(?:\\.\\d+)*)';
const PRE = '(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\\d*))?';
const POST = '(?:-(\\d+)|[-_.]?(post|rev|r)[-_.]?(\\d*))?';
const DEV = '(?:[-_.]?(dev)[-_.]?(\\d*))?';
const LOCAL = '(?:\\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?';
const VERSION = new RegExp(`^v?(?:(\\d+)!)?${NUMBERS}${PRE}${POST}${DEV}${LOCAL}$`, 'i');

const PRE_NAMES: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', preview: 'rc', pre: 'rc', c: 'rc' };

/** Whether a package name is valid. */
export const isName = (text: string): boolean => text.length <= MAX_LENGTH && NAME.test(text);

/** Whether a file name is valid. */
export const isFileName = (text: string): boolean =>
  text.length <= MAX_LENGTH && FILE.test(text) && text !== '.' && text !== '..';

const plain = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

/**
 * Normalizes a version as in PEP 440: `v1.0-Alpha.01` becomes `1.0a1`.
 * @returns undefined for an invalid version, or one longer than 255 characters
 */
export function normalVersion(text: string): string | undefined {
  const match = text.length > MAX_LENGTH ? null : VERSION.exec(text.trim());
  if (match === null) return undefined;
  const [, epoch = '0', numbers = '', pre, preNumber, implicitPost, post, postNumber, dev, devNumber, local] = match;
  const preName = pre?.toLowerCase();
  const parts = [
    plain(epoch) === '0' ? '' : `${plain(epoch)}!`,
    numbers.split('.').map(plain).join('.'),
    preName === undefined ? '' : `${PRE_NAMES[preName] ?? preName}${plain(preNumber || '0')}`,
    implicitPost === undefined ? '' : `.post${plain(implicitPost)}`,
    post === undefined ? '' : `.post${plain(postNumber || '0')}`,
    dev === undefined ? '' : `.dev${plain(devNumber || '0')}`,
    local === undefined
      ? ''
      : `+${local
          .toLowerCase()
          .split(/[-_.]/)
          .map((part) => (/^\d+$/.test(part) ? plain(part) : part))
          .join('.')}`,
  ];
  return parts.join('');
}

/** Normalizes a name as in PEP 503: lower case, with one hyphen for each run of `-`, `_` and `.`. */
export const pythonName = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();
