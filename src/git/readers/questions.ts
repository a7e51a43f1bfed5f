import { mergedInto } from '../compare.ts';
import type { Repository } from '../repository.ts';
import { readFileAt } from './file-at.ts';
import { readFolderAt } from './folder-at.ts';
import { readCommits, readLogPage } from './log-page.ts';

/**
 * What threads can be asked. Arguments and answers are copied from one thread to the other: plain values, dates, and bytes that
 * have their memory for themselves.
 */
const QUESTIONS = {
  file: readFileAt,
  folder: readFolderAt,
  log: readLogPage,
  commits: readCommits,
  merged: mergedInto,
} as const satisfies Record<string, (repo: Repository, ...args: never[]) => Promise<unknown>>;

export type QuestionName = keyof typeof QUESTIONS;

type Find<Name extends QuestionName> = (typeof QUESTIONS)[Name];

/** What questions take after the repository. */
export type Arguments = {
  [Name in QuestionName]: Find<Name> extends (repo: Repository, ...args: infer Rest) => unknown ? Rest : never;
};

/** What questions give. */
export type Answers = { [Name in QuestionName]: Awaited<ReturnType<Find<Name>>> };

/** The functions that answer. */
export const finders: {
  [Name in QuestionName]: (repo: Repository, ...args: Arguments[Name]) => Promise<Answers[Name]>;
} = QUESTIONS;
