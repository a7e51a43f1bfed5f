import assert from 'node:assert/strict';
import type { Tree } from '../../../src/ci/config/loaded.ts';
import { dumpYaml } from '../../../src/ci/config/yaml/dump.ts';
import { Reference } from '../../../src/ci/config/yaml/reference.ts';
import { readDocuments } from '../../../src/ci/config/yaml/yaml.compose.ts';
import { YamlError } from '../../../src/ci/config/yaml/yaml-error.ts';
import type { Random } from '../../crash/random.ts';
import type { Fuzzer, Subject } from './fuzzer.ts';
import { mutated } from './mutate.ts';

const MAX_PIECES = 9;
const LONGEST = 16 * 1024;
/** What YAML is made of. */
const PIECES = [
  ...[
    '- ',
    '? ',
    ': ',
    ':\n',
    '\n',
    '\n\n',
    '\n  ',
    '\n    ',
    '  ',
    '\t',
    ' #',
    '|',
    '>',
    '|2-',
    '>+',
    '"',
    "'",
    '\\',
    '\\x',
  ],
  ...[
    '&a ',
    '*a',
    '*a : ',
    '<<: *a',
    '<<: [*a, *a]',
    '!!str ',
    '!reference [a, b]',
    '! ',
    '!<x> ',
    '%YAML 1.1\n',
    '%TAG ! x\n',
  ],
  ...['---', '---\n', '...\n', '{', '}', '[', ']', ',', '@', '`', '%', '\uFEFF', '\u2028', '\0', '\u{1F600}', '\uD800'],
  ...[
    'yes',
    '~',
    '0x1F',
    '1:30',
    '.inf',
    '1_000',
    '2024-01-01',
    '__proto__: ',
    'a: ',
    'b',
    '"\\u00e9"',
    "''",
    '? a\n: b\n',
  ],
];

/** Documents that repeat a few pieces in each other: what takes more time than its length. */
function repeated(random: Random): string {
  const few = Array.from({ length: 1 + random.below(3) }, () => random.pick(PIECES));
  return few
    .join('')
    .repeat(1 + random.below(3_000))
    .slice(0, LONGEST);
}

function spliced(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(PIECES) + text.slice(at + random.below(4));
}

const holdsReference = (tree: unknown): boolean =>
  tree instanceof Reference ||
  (typeof tree === 'object' && tree !== null && Object.values(tree).some((each) => holdsReference(each)));

/** Reads a text; what is read is the same when it was written and is read again. */
function check(text: string): void {
  let documents: unknown[];
  try {
    documents = readDocuments(text, MAX_PIECES);
  } catch (error) {
    if (error instanceof YamlError) return;
    throw error;
  }
  for (const tree of documents) {
    if (holdsReference(tree)) continue;
    const written = dumpYaml(tree as Tree);
    let again: unknown[];
    try {
      again = readDocuments(written, MAX_PIECES);
    } catch (error) {
      // Aliases are written out, which may be more than is read.
      if (error instanceof YamlError && error.message === 'The parsed YAML is too big') continue;
      throw new Error(`what was written cannot be read: ${JSON.stringify(written).slice(0, 300)}`, { cause: error });
    }
    assert.deepEqual(again, [tree], JSON.stringify(text).slice(0, 500));
  }
}

/** The reader of CI configurations and charts, and the writer. */
export const yaml: Fuzzer = {
  name: 'yaml',
  cases: 50_000,
  caseMs: 500,
  open(corpus): Subject {
    const texts = corpus.map(({ bytes }) => bytes);
    return {
      replay: ({ bytes }) => check(bytes.toString()),
      one(random) {
        if (random.below(4) === 0) return check(repeated(random));
        let text = mutated(random.pick(texts), random, texts).toString();
        for (let left = random.below(4); left > 0; left -= 1) text = spliced(text, random);
        check(text);
      },
    };
  },
};
