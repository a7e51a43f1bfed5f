import type { Question } from '../repository/index.ts';
import { mergedInto } from './git.compare.ts';

/** Which of the given commits are in a target's history. Serves `merged` of branches. */
export const MERGED_INTO = { name: 'merged', find: mergedInto } as const satisfies Question;
