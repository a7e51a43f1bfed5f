import type { Static } from 'typebox';
import type { Commit } from './commits.responses.ts';

export type CommitJson = Static<typeof Commit>;
