import type { Db } from '../../../src/db/db.schema.ts';
import { auditEvents, events, snippets } from './activity.ts';
import { imports } from './imports.ts';
import { issuables } from './issuables.ts';
import { packages } from './packages.ts';
import { people, projects } from './people.ts';
import { pipelines } from './pipelines.ts';
import { planning } from './planning.ts';
import { type Amounts, inBigProject, insert } from './rows.ts';
import { webhooks } from './webhooks.ts';
import { wikis } from './wikis.ts';

/**
 * Fills a new database with many rows, straight into the tables: a group with a big project and many small ones, with
 * issues, merge requests, notes, labels, milestones, reactions, approvals, pipelines, packages, snippets and events. Always the same rows.
 * @param place where the repository of a project or snippet lies, given its number
 */
export async function fillWithMany(
  database: Db,
  amounts: Amounts,
  place: (n: number) => { repository_storage: string; disk_path: string },
): Promise<void> {
  await database.transaction().execute(async (db) => {
    const group = await people(db);
    const first = await projects(db, amounts.projects, group, place);
    const projectOf = (n: number) => (inBigProject(n) ? first : first + ((n * 7) % amounts.projects));
    await planning(db, amounts.projects, first);
    await issuables(db, amounts, first, projectOf);
    await pipelines(db, amounts, first);
    await packages(db, amounts, first);
    await snippets(db, amounts.snippets, projectOf, place);
    await wikis(db, amounts.snippets, projectOf, place);
    await webhooks(db, amounts.events, group, projectOf);
    await imports(db, amounts.events, group);
    await insert(db, 'events', events(amounts, projectOf));
    await insert(db, 'audit_events', auditEvents(amounts.events, group, projectOf));
  });
}
