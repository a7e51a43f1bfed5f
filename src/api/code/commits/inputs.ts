import type { Static } from 'typebox';
import type { Commit } from './answers.ts';

export type CommitJson = Static<typeof Commit>;
