import { randomText } from '../../../core/core.secrets.ts';
import type { ApplicationSettings } from '../../../settings/settings-table.ts';

const MAX_PASSWORD = 128;

/** Application settings about passwords. */
export type PasswordRules = Pick<
  ApplicationSettings,
  | 'minimum_password_length'
  | 'password_number_required'
  | 'password_lowercase_required'
  | 'password_uppercase_required'
  | 'password_symbol_required'
>;

/** Character classes that a password may have to contain: setting, pattern, name and an example. */
const KINDS = [
  ['password_number_required', /\p{Nd}/u, 'number', '7'],
  ['password_lowercase_required', /\p{Ll}/u, 'lowercase letter', 'a'],
  ['password_uppercase_required', /\p{Lu}/u, 'uppercase letter', 'Z'],
  ['password_symbol_required', /[\p{P}\p{S}]/u, 'symbol character', '-'],
] as const;

/** Validates a password; returns the errors. */
export function passwordErrors(rules: PasswordRules, password: string): string[] {
  const { length } = [...password];
  const minimum = rules.minimum_password_length;
  const errors =
    length < minimum
      ? [`is too short (minimum is ${minimum} characters)`]
      : length > MAX_PASSWORD
        ? [`is too long (maximum is ${MAX_PASSWORD} characters)`]
        : [];
  const lacking = KINDS.filter(([name, pattern]) => rules[name] && !pattern.test(password));
  return [...errors, ...lacking.map(([, , kind]) => `must contain at least one ${kind}`)];
}

/** Generates a random password that satisfies all rules. */
export function randomPassword(rules: PasswordRules, length = 24): string {
  const kinds = KINDS.map(([, , , example]) => example).join('');
  return `${randomText(Math.max(length, rules.minimum_password_length) - kinds.length)}${kinds}`;
}
