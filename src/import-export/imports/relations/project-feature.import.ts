import type { Updateable } from 'kysely';
import type { FeatureLevel, ProjectsTable } from '../../../db/tables/projects.table.ts';
import { PROJECT_FEATURES } from '../../../db/tables/projects.table.ts';
import type { RelationWriter } from '../import-context.ts';

const LEVELS: readonly FeatureLevel[] = ['disabled', 'private', 'enabled'];

/** Imports the access levels of project features. */
export const projectFeatureWriter: RelationWriter = {
  batchSize: 1,
  async write(context, db, object) {
    for (const each of object) {
      const levels = PROJECT_FEATURES.flatMap((feature) => {
        const column = `${feature}_access_level` as const;
        const level = LEVELS.find((level) => level === each[column]);
        return level === undefined ? [] : [[column, level] as const];
      });
      const columns: Updateable<ProjectsTable> = Object.fromEntries(levels);
      if (levels.length > 0) await db.updateTable('projects').set(columns).where('id', '=', context.place.id).execute();
    }
  },
};
