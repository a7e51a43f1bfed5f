import { Cron } from 'croner';
import { zoneName } from './time-zones.ts';

/** When something recurs: by a line of five fields as cron reads them, in a time zone. */
export class CronSchedule {
  readonly #cron: Cron;

  private constructor(cron: Cron) {
    this.#cron = cron;
  }

  /**
   * @param line five fields, or a nickname such as `@daily`
   * @param timezone a name of the zone database, or one that people know (`Eastern Time (US & Canada)`)
   * @returns null where the line cannot be read, never comes true, or the zone is none
   */
  static parse(line: string, timezone: string): CronSchedule | null {
    const zone = zoneName(timezone);
    if (zone === null || line.length > 255 || !/^[\w@*/,#? +-]+$/.test(line)) return null;
    try {
      const cron = new Cron(line.trim(), { timezone: zone, paused: true, mode: '5-part' });
      return cron.nextRun() === null ? null : new CronSchedule(cron);
    } catch {
      return null;
    }
  }

  /** The first time after `date`; null where none comes any more. */
  next(date: Date): Date | null {
    return this.#cron.nextRun(date);
  }

  /** The last time before `date`; null where there was none. */
  previous(date: Date): Date | null {
    return this.#cron.previousRuns(1, date)[0] ?? null;
  }
}
