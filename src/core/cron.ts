import { Cron } from 'croner';
import { zoneName } from './time-zones.ts';

/** A cron schedule of five fields in a time zone. */
export class CronSchedule {
  readonly #cron: Cron;

  private constructor(cron: Cron) {
    this.#cron = cron;
  }

  /**
   * @param line five fields, or a nickname such as `@daily`
   * @param timezone IANA name or display name (`Eastern Time (US & Canada)`)
   * @returns null if the line is invalid or never matches, or the time zone is unknown
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

  /** The next time after `date`; null if there is none. */
  next(date: Date): Date | null {
    return this.#cron.nextRun(date);
  }

  /** The last time before `date`; null if there is none. */
  previous(date: Date): Date | null {
    return this.#cron.previousRuns(1, date)[0] ?? null;
  }
}
