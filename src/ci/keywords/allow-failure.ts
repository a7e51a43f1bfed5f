import { INTEGERS_OR_INTEGER, isBoolean, MAP_OR_BOOLEAN } from './checks.ts';
import { own } from './place.ts';
import { anyEntry, config, entry, field, keys, type Reader } from './reader.ts';
import { several } from './retry.ts';

/** Whether a job may fail: always, or with these exit codes. */
export interface AllowFailure {
  always: boolean;
  exitCodes: number[] | null;
}

const byExitCode: Reader<AllowFailure> = entry(
  [keys('exit_codes'), field('exit_codes', INTEGERS_OR_INTEGER)],
  (value) => ({
    always: false,
    exitCodes: several<number>(own(value, 'exit_codes')),
  }),
);

/** `allow_failure`. */
export const allowFailure: Reader<AllowFailure> = anyEntry([config(MAP_OR_BOOLEAN)], (value, at) =>
  isBoolean(value) ? { always: value, exitCodes: null } : byExitCode(value, at),
);
