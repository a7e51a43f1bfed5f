/** Verification statuses in the platform's words. */
export const STATUSES = [
  'verified',
  'unverified',
  'unknown_key',
  'unverified_key',
  'same_user_different_email',
  'other_user',
  'multiple_signatures',
] as const;
export type Status = (typeof STATUSES)[number];
