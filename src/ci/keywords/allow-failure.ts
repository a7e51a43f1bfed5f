import { INTEGERS_OR_INTEGER, isBoolean, MAP_OR_BOOLEAN } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { anyEntry, config, entry, field, keys, type Reader } from './reader.ts';
import { toList } from './retry.keyword.ts';

/** Whether a job may fail: always, or with these exit codes. */
export interface AllowFailure {
  always: boolean;
  exitCodes: number[] | null;
}

const byExitCode: Reader<AllowFailure> = entry(
  [keys('exit_codes'), field('exit_codes', INTEGERS_OR_INTEGER)],
  (value) => ({
    always: false,
    exitCodes: toList<number>(own(value, 'exit_codes')),
  }),
);

/** `allow_failure`. */
export const allowFailure: Reader<AllowFailure> = anyEntry([config(MAP_OR_BOOLEAN)], (value, at) =>
  isBoolean(value) ? { always: value, exitCodes: null } : byExitCode(value, at),
);
