import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser, type SaxesTagPlain } from 'saxes';

export const CASE_STATES = ['error', 'failed', 'success', 'skipped'] as const;
export type CaseState = (typeof CASE_STATES)[number];

/** A test case. */
export interface TestCase {
  status: CaseState;
  /** Name of the innermost suite. */
  suite: string;
  name: string | null;
  classname: string | null;
  file: string | null;
  /** Seconds. */
  execution_time: number;
  /** Output of a failed or skipped test. */
  system_output: string | null;
}

/** Why a report cannot be parsed. */
export class JunitError extends Error {
  override name = 'JunitError';
}

/** Maximum number of tests in a report. */
export const MAX_CASES = 100_000;
const MAX_DEPTH = 100;
const CHUNK = 64 * 1024;
const OUTCOMES: Readonly<Record<string, CaseState>> = { failure: 'failed', error: 'error', skipped: 'skipped' };
/** Of several outcomes of a test, the first of these counts. */
const RANK: readonly CaseState[] = ['failed', 'error', 'skipped', 'success'];

/** State of parsing a report. */
class Reading {
  readonly parser = new SaxesParser();
  readonly #cases: TestCase[];
  readonly #path: string[] = [];
  readonly #suites: string[] = [];
  #case: TestCase | null = null;
  #outcome: { status: CaseState; message: string; text: string[] } | null = null;

  constructor(cases: TestCase[]) {
    this.#cases = cases;
    this.parser.on('error', (error) => {
      throw new JunitError(error.message);
    });
    this.parser.on('opentag', (tag) => this.#open(tag));
    this.parser.on('closetag', (tag) => this.#close(tag.name));
    for (const kind of ['text', 'cdata'] as const) this.parser.on(kind, (text) => this.#outcome?.text.push(text));
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    if (this.#path.length === 0 && name !== 'testsuites' && name !== 'testsuite') {
      throw new JunitError(`the root element is ${name.slice(0, 100)} instead of testsuites or testsuite`);
    }
    if (this.#path.push(name) > MAX_DEPTH) throw new JunitError('elements are nested too deeply');
    const parent = this.#path.at(-2);
    if (name === 'testsuite') this.#suites.push(attributes.name ?? '');
    else if (name === 'testcase' && parent === 'testsuite') this.#begin(attributes);
    else if (this.#case !== null && parent === 'testcase' && OUTCOMES[name] !== undefined) {
      this.#outcome = { status: OUTCOMES[name], message: attributes.message ?? '', text: [] };
    }
  }

  #begin({ name, classname, file, time }: Record<string, string>): void {
    if (this.#cases.length >= MAX_CASES) throw new JunitError(`more than ${MAX_CASES} tests`);
    const seconds = Number((time ?? '').replaceAll(',', ''));
    this.#case = {
      status: 'success',
      suite: this.#suites.at(-1) ?? '',
      name: name ?? null,
      classname: classname ?? null,
      file: file ?? null,
      execution_time: Number.isFinite(seconds) ? seconds : 0,
      system_output: null,
    };
  }

  #close(name: string): void {
    this.#path.pop();
    if (name === 'testsuite') this.#suites.pop();
    const [test, outcome] = [this.#case, this.#outcome];
    if (test === null) return;
    if (outcome !== null && OUTCOMES[name] !== undefined && this.#path.at(-1) === 'testcase') {
      if (RANK.indexOf(outcome.status) < RANK.indexOf(test.status)) {
        const text = outcome.text.join('');
        test.status = outcome.status;
        test.system_output = (text.trim() === '' ? outcome.message : text) || null;
      }
      this.#outcome = null;
    } else if (name === 'testcase') {
      this.#cases.push(test);
      this.#case = null;
    }
  }
}

/** Decoder for the declared encoding; UTF-8 by default. */
function decoderOf(bytes: Buffer): TextDecoder {
  const declaration = /^<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
    bytes.subarray(0, 200).toString('latin1'),
  );
  try {
    return new TextDecoder(declaration?.[1] ?? 'utf-8');
  } catch {
    throw new JunitError('an unknown encoding');
  }
}

/**
 * Parses the tests of a JUnit report (XML) in slices; custom entities are ignored.
 * @param cases receives the tests
 * @throws JunitError for an invalid report, or too many tests
 */
export async function parseJunit(bytes: Buffer, cases: TestCase[]): Promise<void> {
  const { parser } = new Reading(cases);
  const decoder = decoderOf(bytes);
  for (let at = 0; at < bytes.length; at += CHUNK) {
    parser.write(decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }));
    await nextTurn();
  }
  parser.write(decoder.decode());
  parser.close();
}
