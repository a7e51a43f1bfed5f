import type { TSchema } from 'typebox';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {};
