import { coerceIid, coerceObjects, coerceOneOf, type ImportedObject } from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { dates, insertInBatches } from './rows.ts';

const targetsOf = (object: ImportedObject): ImportedObject[] => coerceObjects(object.links);

/** Imports links between imported issues; others are left out. */
export const issueLinkWriter: RelationWriter = {
  batchSize: 100,
  async write(context, db, object) {
    const iids = object.flatMap((each) => [
      coerceIid(each.iid),
      ...targetsOf(each).map(({ target_iid }) => coerceIid(target_iid)),
    ]);
    const issues = await db
      .selectFrom('issues')
      .select(['id', 'iid'])
      .where('project_id', '=', context.place.id)
      .where('iid', 'in', [...new Set(iids)])
      .execute();
    const ids = new Map(issues.map((issue) => [issue.iid, issue.id]));
    const rows = object.flatMap((each) =>
      targetsOf(each).flatMap((link) => {
        const [source_id, target_id] = [ids.get(coerceIid(each.iid)), ids.get(coerceIid(link.target_iid))];
        if (source_id === undefined || target_id === undefined || source_id === target_id) return [];
        const link_type = coerceOneOf(link.link_type, ['relates_to', 'blocks']);
        return [{ source_id, target_id, link_type, ...dates(context, link) }];
      }),
    );
    await insertInBatches(rows, (part) =>
      db
        .insertInto('issue_links')
        .values(part)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  },
};
