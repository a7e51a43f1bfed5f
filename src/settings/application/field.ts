import type { Plan } from '../../config/config.ts';

/** What values of a setting look like. */
export type SettingKind =
  | 'flag'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'text'
  | 'addresses'
  | 'choice'
  | 'secret'
  | 'texts'
  | 'choices'
  | 'integers'
  | 'flags'
  | 'weights'
  | 'branch_protection'
  | 'object'
  | 'instant';

/** A setting of the installation: what it can be, and what it is until somebody changes it. */
export interface Setting<T> {
  kind: SettingKind;
  default: T;
  description: string;
  nullable: boolean;
  /** Of numbers; `maximum` also of the characters of texts and the elements of lists. */
  minimum?: number;
  maximum?: number;
  /** Of choices. */
  values?: readonly string[];
  /** Lower plans know nothing of it. */
  plan?: Exclude<Plan, 'free'>;
}

/** One that is kept and shown for clients that set it, and changes nothing here. */
export interface KeptSetting<T> extends Setting<T> {
  keptOnly: true;
}

interface Bounds {
  min?: number;
  max?: number;
}

const MAX_INTEGER = 2_147_483_647;
const MAX_TEXT = 255;
const LONG_TEXT = 100_000;
const MAX_ELEMENTS = 1_000;

export const flag = (fallback: boolean, description: string): Setting<boolean> => ({
  kind: 'flag',
  default: fallback,
  description,
  nullable: false,
});

/** An integer from 0 on unless told. */
export const integer = (
  fallback: number,
  description: string,
  { min = 0, max = MAX_INTEGER }: Bounds = {},
): Setting<number> => ({
  kind: 'integer',
  default: fallback,
  description,
  nullable: false,
  minimum: min,
  maximum: max,
});

/** The same, or null, which is where it begins. */
export const maybeInteger = (
  description: string,
  { min = 0, max = MAX_INTEGER }: Bounds = {},
): Setting<number | null> => ({
  kind: 'integer',
  default: null,
  description,
  nullable: true,
  minimum: min,
  maximum: max,
});

/** A number that may have decimal places: answers have it as text, as the platform's do. */
export const decimal = (
  fallback: number,
  description: string,
  { min = 0, max = 1_000 }: Bounds = {},
): Setting<number> => ({
  kind: 'decimal',
  default: fallback,
  description,
  nullable: false,
  minimum: min,
  maximum: max,
});

/** A text of one line, or null. */
export const text = (fallback: string | null, description: string, max = MAX_TEXT): Setting<string | null> => ({
  kind: 'text',
  default: fallback,
  description,
  nullable: true,
  maximum: max,
});

/** Addresses of one service: kept as a text with commas between them, shown as a list. */
export const addresses = (fallback: string, description: string, max: number): Setting<string | null> => ({
  ...text(fallback, description, max),
  kind: 'addresses',
});

/** A moment, or null, which is where it begins. */
export const maybeInstant = (description: string): Setting<string | null> => ({
  kind: 'instant',
  default: null,
  description,
  nullable: true,
});

export const longText = (description: string): Setting<string | null> => text(null, description, LONG_TEXT);

export const choice = <const T extends string>(values: readonly T[], fallback: T, description: string): Setting<T> => ({
  kind: 'choice',
  default: fallback,
  description,
  nullable: false,
  values,
});

export const choices = <const T extends string>(
  values: readonly T[],
  fallback: readonly T[],
  description: string,
): Setting<readonly T[]> => ({ kind: 'choices', default: fallback, description, nullable: false, values });

/** A credential of a service that this server does not call: that it was given is all that is kept of it. */
export const secret = (description: string): Setting<string | null> => ({
  kind: 'secret',
  default: null,
  description,
  nullable: true,
});

export const texts = (
  fallback: readonly string[],
  description: string,
  max = MAX_ELEMENTS,
): Setting<readonly string[]> => ({ kind: 'texts', default: fallback, description, nullable: false, maximum: max });

export const integers = (description: string, max = MAX_ELEMENTS): Setting<readonly number[]> => ({
  kind: 'integers',
  default: [],
  description,
  nullable: false,
  maximum: max,
});

/** One that lower plans than this know nothing of. */
export const paid = <T>(plan: Exclude<Plan, 'free'>, setting: Setting<T>): Setting<T> => ({ ...setting, plan });

/** Declares that nothing reads a setting: what reads settings does not get its value. */
export const keptOnly = <T>(setting: Setting<T>): KeptSetting<T> => ({ ...setting, keptOnly: true });
