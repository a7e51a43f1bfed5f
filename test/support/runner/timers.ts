/** Remembers where timers were set that keep a process alive, so that it can be told whose they are. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';

interface Made {
  readonly place: { stack?: string };
  /** Whether it still keeps the process alive. */
  holds(): boolean;
}

const FRAMES = 4;
let made: Made[] = [];
/** So many are remembered before those that are over are forgotten. */
let room = 1_000;

function remember(holds: () => boolean, above: (...args: never[]) => unknown): void {
  if (made.length >= room) {
    made = made.filter((timer) => timer.holds());
    room = Math.max(1_000, 2 * made.length);
  }
  const place: Made['place'] = {};
  Error.captureStackTrace(place, above);
  made.push({ place, holds });
}

/** Takes the place of a function, with what else it has: `util.promisify` asks for it. */
const like = <T extends object>(original: T, watched: T): T =>
  Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));

function watched<Args extends unknown[]>(set: (...args: Args) => NodeJS.Timeout): (...args: Args) => NodeJS.Timeout {
  const watching = (...args: Args): NodeJS.Timeout => {
    const timer = set(...args);
    const reference = new WeakRef(timer);
    remember(() => {
      // One that was cleared still says that it has its reference.
      const living = reference.deref() as (NodeJS.Timeout & { _destroyed?: boolean }) | undefined;
      return living?._destroyed === false && living.hasRef();
    }, watching);
    return timer;
  };
  return like(set, watching);
}

/** Begins to remember; before anything is imported that sets timers. */
export function watchTimers(): void {
  globalThis.setTimeout = timers.setTimeout = watched(timers.setTimeout as never) as typeof setTimeout;
  globalThis.setInterval = timers.setInterval = watched(timers.setInterval as never) as typeof setInterval;
  const wait = promises.setTimeout;
  const waiting: typeof wait = (delay, value, options) => {
    const promise = wait(delay, value, options);
    if (options?.ref === false) return promise;
    let over = false;
    remember(() => !over, waiting);
    // What it rejects with stays the matter of who waits.
    return promise.finally(() => {
      over = true;
    });
  };
  promises.setTimeout = like(wait, waiting);
  syncBuiltinESMExports();
}

/** Where the timers were set that keep the process alive, a line or more for each place with how many they are. */
export function livingTimers(): string[] {
  const counts = new Map<string, number>();
  for (const { place } of made.filter((timer) => timer.holds())) {
    const frames = (place.stack ?? '').split('\n').slice(1);
    const own = frames.filter((line) => !/node:|<anonymous>\)$/.test(line)).slice(0, FRAMES);
    const text = own.length === 0 ? '    at node itself' : own.join('\n');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} set\n${text}`);
}
