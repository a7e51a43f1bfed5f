import { Type } from 'typebox';

/** Response to a stored file. */
export const CreatedMessage = Type.Object({ message: Type.String({ examples: ['201 Created'] }) });
export const CREATED = { message: '201 Created' };
