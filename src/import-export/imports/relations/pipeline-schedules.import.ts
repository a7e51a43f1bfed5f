import { CronSchedule } from '../../../core/cron.ts';
import { orUnlimited, planLimits } from '../../../settings/settings.plan-limits.ts';
import { InvalidImportObject, requireText } from '../coerce-import.ts';
import type { RelationWriter } from '../import-context.ts';
import { dates } from './rows.ts';

const REF = /^refs\/(?:heads|tags)\/./;

/** Imports pipeline schedules as inactive, owned by the importer, so that nothing runs unasked. */
export const pipelineScheduleWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const rows = object.map((each) => {
      const [cron, cron_timezone] = [requireText(each.cron, 'cron'), requireText(each.cron_timezone, 'cron_timezone')];
      if (CronSchedule.parse(cron, cron_timezone) === null)
        throw new InvalidImportObject('the cron expression or time zone of a schedule is invalid');
      const ref = requireText(each.ref, 'ref');
      return {
        project_id: context.place.id,
        owner_id: context.users.of(null),
        description: requireText(each.description, 'description'),
        ref: REF.test(ref) ? ref : `refs/heads/${ref}`,
        cron,
        cron_timezone,
        active: 0 as const,
        next_run_at: null,
        ...dates(context, each),
      };
    });
    await db.insertInto('ci_pipeline_schedules').values(rows).execute();
    const limit = (await planLimits({ ...context.deps, db })).ci_pipeline_schedules;
    const { total } = await db
      .selectFrom('ci_pipeline_schedules')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('project_id', '=', context.place.id)
      .executeTakeFirstOrThrow();
    if (Number(total) > orUnlimited(limit))
      throw new InvalidImportObject(`limit reached: a project has at most ${limit} pipeline schedules`);
  },
};
