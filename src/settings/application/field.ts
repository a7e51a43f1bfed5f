import type { Plan } from '../../config/config.ts';

/** Type of a setting's value. */
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

/** An application setting: its type, default and description. */
export interface Setting<T> {
  kind: SettingKind;
  default: T;
  description: string;
  nullable: boolean;
  /** Bounds of numbers; `maximum` also bounds the length of texts and lists. */
  minimum?: number;
  maximum?: number;
  /** The allowed values of a choice. */
  values?: readonly string[];
  /** The lowest plan that has the setting. */
  plan?: Exclude<Plan, 'free'>;
}

/** A setting that is stored and shown for clients that set it, but has no effect here. */
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

/** An integer, at least 0 by default. */
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

/** An integer or null, which is the default. */
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

/** A number with decimal places; answers contain it as text, as the platform's do. */
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

/** URLs of one service: stored as a text separated by commas, shown as a list. */
export const addresses = (fallback: string, description: string, max: number): Setting<string | null> => ({
  ...text(fallback, description, max),
  kind: 'addresses',
});

/** An instant or null, which is the default. */
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

/** A credential for a service that this server does not call. Only the fact that it was set is stored. */
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

/** Restricts a setting to a plan and higher ones. */
export const paid = <T>(plan: Exclude<Plan, 'free'>, setting: Setting<T>): Setting<T> => ({ ...setting, plan });

/** Declares that a setting has no effect: `ApplicationSettings` does not contain it. */
export const keptOnly = <T>(setting: Setting<T>): KeptSetting<T> => ({ ...setting, keptOnly: true });
