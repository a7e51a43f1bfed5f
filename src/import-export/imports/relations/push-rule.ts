import { PUSH_RULE_FLAGS, PUSH_RULE_PATTERNS } from '../../../db/tables/push-rules.ts';
import { patternError } from '../../../repositories/push-rules/pattern.ts';
import type { Writer } from '../importing.ts';
import { flag, type Given, integer, text, Unfit } from '../take.ts';
import { dates } from './rows.ts';

/** MiB. */
const MAX_SIZE = 1_048_576;

function patternOf(given: Given, name: string): string {
  const found = text(given[name]) ?? '';
  const problem = patternError(found);
  if (problem !== null) throw new Unfit(`${name} ${problem}`);
  return found;
}

/** What pushes to the project must keep to; a rule that is there already stays. */
export const pushRuleWriter: Writer = {
  atOnce: 1,
  async write(importing, db, given) {
    for (const each of given) {
      const patterns = Object.fromEntries(PUSH_RULE_PATTERNS.map((name) => [name, patternOf(each, name)]));
      const flags = Object.fromEntries(PUSH_RULE_FLAGS.map((name) => [name, flag(each[name])]));
      await db
        .insertInto('push_rules')
        .values({
          ...patterns,
          ...flags,
          project_id: importing.place.id,
          namespace_id: null,
          max_file_size: integer(each.max_file_size, 0, MAX_SIZE) ?? 0,
          ...dates(importing, each),
        })
        .onConflict((conflict) => conflict.column('project_id').doNothing())
        .execute();
    }
  },
};
