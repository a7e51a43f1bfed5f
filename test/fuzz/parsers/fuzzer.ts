import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../crash/random.ts';

/** An input that is kept: what once was found, and what cases are made out of. */
export interface CorpusInput {
  file: string;
  bytes: Buffer;
}

/** What is fuzzed, ready for cases. One is done after the other. */
export interface Subject {
  /** One case, made out of random numbers alone. @throws where the subject does what it must not do */
  one(random: Random): Promise<void> | void;
  /** A kept input as it is. @throws as `one` */
  replay(input: CorpusInput): Promise<void> | void;
  close?(): Promise<void> | void;
}

/** A parser that is fuzzed by name. */
export interface Fuzzer {
  name: string;
  /** Cases of a whole run. */
  cases: number;
  /** Milliseconds of processor time that one case may take. */
  caseMs: number;
  open(corpus: readonly CorpusInput[]): Promise<Subject> | Subject;
}

const CORPUS = join(import.meta.dirname, '../corpus');

/** The inputs that are kept for a fuzzer, by name. */
export function corpusOf(name: string): CorpusInput[] {
  const folder = join(CORPUS, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((file) => ({ file, bytes: readFileSync(join(folder, file)) }));
}
