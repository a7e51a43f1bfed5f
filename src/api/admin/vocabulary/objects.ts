import type { TSchema } from 'typebox';
import { BroadcastMessage } from '../broadcast-messages/answers.ts';
import { License, LicenseBasic } from '../license/answers.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
export const objects: Readonly<Record<string, TSchema>> = {
  BroadcastMessage,
  License,
  LicenseBasic,
};
