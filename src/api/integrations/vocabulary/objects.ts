import type { TSchema } from 'typebox';
import { SystemHook } from '../hooks/answers.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  SystemHook,
};
