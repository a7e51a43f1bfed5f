import { Type } from 'typebox';

/** What registries answer when a file was taken. */
export const CreatedMessage = Type.Object({ message: Type.String({ examples: ['201 Created'] }) });
export const CREATED = { message: '201 Created' };
