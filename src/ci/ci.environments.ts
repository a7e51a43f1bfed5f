import { createHash } from 'node:crypto';

/** Valid environment names; before variables are expanded they may contain `${}`. */
export const ENVIRONMENT_NAME = /^[a-zA-Z0-9_\-$ {}.](?:[a-zA-Z0-9_\-$ {}./]*[a-zA-Z0-9_\-$ {}.])?$/;

export const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;
export type Tier = (typeof TIERS)[number];

const TIER_BY_NAME: readonly [Tier, RegExp][] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|ac(ce)?pt|qa|qc|control|quality/i],
  ['staging', /sta?g|mode?l|pre|demo|non/i],
  ['production', /pro?d|live/i],
];

/** Default tier of an environment, by its name. */
export function guessTier(name: string): Tier {
  return TIER_BY_NAME.find(([, words]) => words.test(name))?.[0] ?? 'other';
}

const SLUG_LENGTH = 24;
const PREFIX_LENGTH = 17;

/** Six base-36 digits that distinguish names with the same slug. */
function suffix(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-6);
}

/** `CI_ENVIRONMENT_SLUG`: at most 24 characters of `[a-z0-9-]`, with a leading letter and no trailing dash. */
export function environmentSlug(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '-');
  const slug = (/^[a-z]/.test(plain) ? plain : `env-${plain}`).replaceAll(/-+/g, '-');
  if (slug === name && slug.length <= SLUG_LENGTH) return slug.replace(/-$/, '');
  const short = slug.slice(0, PREFIX_LENGTH);
  return `${short}${short.endsWith('-') ? '' : '-'}${suffix(name)}`;
}
