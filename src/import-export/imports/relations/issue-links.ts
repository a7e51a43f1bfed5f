import type { Writer } from '../importing.ts';
import { type Given, iid, objects, oneOf } from '../take.ts';
import { dates, inParts } from './rows.ts';

const targetsOf = (given: Given): Given[] => objects(given.links);

/** Links between issues that have come before; what links to none of them is left out. */
export const issueLinkWriter: Writer = {
  atOnce: 100,
  async write(importing, db, given) {
    const wanted = given.flatMap((each) => [
      iid(each.iid),
      ...targetsOf(each).map(({ target_iid }) => iid(target_iid)),
    ]);
    const issues = await db
      .selectFrom('issues')
      .select(['id', 'iid'])
      .where('project_id', '=', importing.place.id)
      .where('iid', 'in', [...new Set(wanted)])
      .execute();
    const ids = new Map(issues.map((issue) => [issue.iid, issue.id]));
    const rows = given.flatMap((each) =>
      targetsOf(each).flatMap((link) => {
        const [source_id, target_id] = [ids.get(iid(each.iid)), ids.get(iid(link.target_iid))];
        if (source_id === undefined || target_id === undefined || source_id === target_id) return [];
        const link_type = oneOf(link.link_type, ['relates_to', 'blocks']);
        return [{ source_id, target_id, link_type, ...dates(importing, link) }];
      }),
    );
    await inParts(rows, (part) =>
      db
        .insertInto('issue_links')
        .values(part)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  },
};
