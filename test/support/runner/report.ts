import { relative } from 'node:path';
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';

/** One test that failed, or one file that did not run to its end. */
export interface Failure {
  name: string;
  file: string;
  line: number;
  text: string;
}

/** What came of a run of test files. */
export interface Results {
  passed: number;
  skipped: number;
  failures: Failure[];
  /** The files that took longest, with their milliseconds. */
  slowest: { file: string; duration: number }[];
}

const MAX_OUTPUT = 8_000;
/** What the runner itself says of every file. */
const COUNTS = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** Whether a test failed only because tests inside it did. */
const isWrapper = ({ details: { error } }: EventData.TestFail): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed';

function describe(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  const lines = (cause.stack ?? cause.message).split('\n');
  return lines
    .filter((line) => !/^ +at .*node:/.test(line))
    .join('\n')
    .slice(0, MAX_OUTPUT);
}

/** Gathers the events of a run. */
class Collector {
  #passed = 0;
  #skipped = 0;
  readonly #failures: Failure[] = [];
  readonly #durations: [file: string, milliseconds: number][] = [];
  readonly #output = new Map<string, string>();

  take(event: TestEvent): void {
    switch (event.type) {
      case 'test:pass':
        // Suites count by their tests.
        if (event.data.details.type === 'suite') return;
        if (event.data.skip === undefined) this.#passed += 1;
        else this.#skipped += 1;
        return;
      case 'test:fail':
        if (!isWrapper(event.data)) this.#fail(event.data);
        return;
      case 'test:summary':
        if (event.data.file !== undefined) this.#durations.push([event.data.file, event.data.duration_ms]);
        return;
      case 'test:stdout':
      case 'test:stderr':
      case 'test:diagnostic':
        this.#print(event.data);
    }
  }

  /** Keeps the end of what a file printed, to be shown when it fails as a whole. */
  #print({ file, message }: { file?: string | undefined; message: string }): void {
    if (file === undefined || COUNTS.test(message)) return;
    const key = relative('', file);
    const before = this.#output.get(key) ?? '';
    this.#output.set(key, `${before}${message.replace(/\n?$/, '\n')}`.slice(-MAX_OUTPUT));
  }

  #fail(event: EventData.TestFail): void {
    const file = relative('', event.file ?? event.name);
    const whole = event.nesting === 0 && event.name.endsWith('.test.ts');
    this.#failures.push({
      name: whole ? 'the file itself' : event.name,
      file,
      line: event.line ?? 1,
      text: whole ? '' : describe(event.details.error),
    });
  }

  results(): Results {
    const failures = this.#failures.map((failure) => ({
      ...failure,
      text: failure.text || (this.#output.get(failure.file) ?? 'It printed nothing.'),
    }));
    const slowest = this.#durations
      .sort(([, a], [, b]) => b - a)
      .slice(0, 3)
      .map(([file, duration]) => ({ file: relative('', file), duration }));
    return { passed: this.#passed, skipped: this.#skipped, failures, slowest };
  }
}

/** A reporter of `node --test` that prints the results as JSON when the run is over. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const collector = new Collector();
  for await (const event of events) collector.take(event);
  yield JSON.stringify(collector.results());
}
