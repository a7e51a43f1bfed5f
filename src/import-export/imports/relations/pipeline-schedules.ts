import { CronSchedule } from '../../../core/cron.ts';
import { orNone, planLimits } from '../../../settings/plan-limits.ts';
import type { Writer } from '../importing.ts';
import { filled, Unfit } from '../take.ts';
import { dates } from './rows.ts';

const REF = /^refs\/(?:heads|tags)\/./;

/** Pipeline schedules: switched off, and the importer's, so that nothing runs that nobody here has asked for. */
export const pipelineScheduleWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const rows = given.map((each) => {
      const [cron, cron_timezone] = [filled(each.cron, 'cron'), filled(each.cron_timezone, 'cron_timezone')];
      if (CronSchedule.parse(cron, cron_timezone) === null) throw new Unfit('the times of a schedule cannot be read');
      const ref = filled(each.ref, 'ref');
      return {
        project_id: importing.place.id,
        owner_id: importing.people.of(null),
        description: filled(each.description, 'description'),
        ref: REF.test(ref) ? ref : `refs/heads/${ref}`,
        cron,
        cron_timezone,
        active: 0 as const,
        next_run_at: null,
        ...dates(importing, each),
      };
    });
    await db.insertInto('ci_pipeline_schedules').values(rows).execute();
    const most = (await planLimits({ ...importing.deps, db })).ci_pipeline_schedules;
    const { total } = await db
      .selectFrom('ci_pipeline_schedules')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('project_id', '=', importing.place.id)
      .executeTakeFirstOrThrow();
    if (Number(total) > orNone(most)) throw new Unfit(`a project can have ${most} pipeline schedules`);
  },
};
