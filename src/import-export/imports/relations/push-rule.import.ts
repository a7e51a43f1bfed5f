import { PUSH_RULE_FLAGS, PUSH_RULE_PATTERNS } from '../../../db/tables/push-rules.table.ts';
import { patternError } from '../../../repositories/push-rules/push-rules.pattern.ts';
import { coerceFlag, coerceInteger, coerceText, type ImportedObject, InvalidImportObject } from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { dates } from './rows.ts';

/** Upper bound of file sizes, in MiB. */
const MAX_SIZE = 1_048_576;

function patternOf(object: ImportedObject, name: string): string {
  const pattern = coerceText(object[name]) ?? '';
  const problem = patternError(pattern);
  if (problem !== null) throw new InvalidImportObject(`${name} ${problem}`);
  return pattern;
}

/** Imports the push rule of a project; an existing one stays. */
export const pushRuleWriter: RelationWriter = {
  batchSize: 1,
  async write(context, db, object) {
    for (const each of object) {
      const patterns = Object.fromEntries(PUSH_RULE_PATTERNS.map((name) => [name, patternOf(each, name)]));
      const flags = Object.fromEntries(PUSH_RULE_FLAGS.map((name) => [name, coerceFlag(each[name])]));
      await db
        .insertInto('push_rules')
        .values({
          ...patterns,
          ...flags,
          project_id: context.place.id,
          namespace_id: null,
          max_file_size: coerceInteger(each.max_file_size, 0, MAX_SIZE) ?? 0,
          ...dates(context, each),
        })
        .onConflict((conflict) => conflict.column('project_id').doNothing())
        .execute();
    }
  },
};
