import type { FieldErrors } from '../../../core/core.errors.ts';
import { usernameErrors } from '../../../core/core.paths.ts';

const MAX_TEXT = 255;
const MAX_EMAIL = 254;

/** Whether a text has control characters, which could split a line of a commit, a header or a log. */
const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

const tooLong = (text: string): string[] =>
  text.length > MAX_TEXT ? [`is too long (maximum is ${MAX_TEXT} characters)`] : [];

/** Validates an e-mail address; returns the errors. */
export function emailErrors(email: string): string[] {
  if (email.trim() === '') return ["can't be blank"];
  const shaped = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/.test(email);
  return shaped && email.length <= MAX_EMAIL && !hasControls(email) ? [] : ['is invalid'];
}

function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return hasControls(name) ? ['is invalid'] : tooLong(name);
}

function websiteErrors(address: string): string[] {
  if (address === '') return [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !hasControls(address)
    ? tooLong(address)
    : ['is not a valid URL'];
}

const CHECKS: Record<string, (value: string) => string[]> = {
  email: emailErrors,
  username: usernameErrors,
  name: nameErrors,
  website_url: websiteErrors,
};
const SHORT_TEXTS = [
  'bio',
  'location',
  'skype',
  'linkedin',
  'twitter',
  'discord',
  'github',
  'organization',
  'job_title',
];
for (const field of [...SHORT_TEXTS, 'pronouns']) CHECKS[field] = tooLong;

/** Validates the given attributes; returns the errors by field. */
export function attributeErrors(attributes: Readonly<Record<string, unknown>>): FieldErrors {
  const errors: FieldErrors = {};
  for (const [field, check] of Object.entries(CHECKS)) {
    const value = attributes[field];
    const texts = typeof value === 'string' ? check(value) : [];
    if (texts.length > 0) errors[field] = texts;
  }
  return errors;
}
