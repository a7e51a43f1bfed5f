import { randomInt } from 'node:crypto';
import { fuzzApart } from './apart.ts';
import { FUZZERS } from './fuzzers.ts';

/** Names of the parsers that can be fuzzed. */
export const PARSERS: readonly string[] = Object.keys(FUZZERS);

/** What of it is done: as many cases as each fuzzer itself has when absent, and a new seed. */
export interface ParserOptions {
  cases?: number | undefined;
  seed?: number | undefined;
  /** One case alone, by its number. */
  only?: number | undefined;
}

/**
 * Fuzzes parsers one after the other, and prints what was found and how to do it again.
 * @param isSelected whether a parser is among those that are meant
 * @returns whether nothing was found
 */
export async function fuzzParsers(
  isSelected: (name: string) => boolean,
  { cases, only, seed = randomInt(2 ** 31) }: ParserOptions,
): Promise<boolean> {
  const print = (name: string, text: string) => process.stdout.write(`${name}: ${text}\n`);
  let good = true;
  for (const name of PARSERS.filter(isSelected)) {
    print(name, `--seed ${seed}`);
    const order = { name, cases: cases ?? (await FUZZERS[name]!()).cases, seed, only };
    const outcome = await fuzzApart(order, (done) => print(name, `${done} cases`));
    for (const { what, error } of outcome.failures) print(name, `${what}: ${error}`);
    good &&= outcome.failures.length === 0;
    const { failures, slowest } = outcome;
    print(
      name,
      `${outcome.cases} cases, ${failures.length} failures, ${slowest.what} took ${Math.round(slowest.ms)} ms`,
    );
  }
  return good;
}
