/**
 * How the C library of Linux allocates for a program of several threads: from one arena instead of one for each thread, returning what is
 * free beyond 4 MB, with large blocks in mappings of their own.
 */
const SETTINGS = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: String(4 * 1024 * 1024) };
/** Both halves of the young generation come to 8 MB instead of 32: requests fill it all the same, and a processor's cache holds it. */
const YOUNG_GENERATION = '--max-semi-space-size';
const MAX_SEMI_SPACE_MB = 4;

const isSet = (option) =>
  [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].some((each) =>
    each.replaceAll('_', '-').startsWith(option),
  );

/**
 * Runs this program again in the same process with the settings and options that operators left out: both are read at
 * the start of a process only. Child processes do not inherit the settings.
 */
export function boundMemory() {
  const names = Object.keys(SETTINGS);
  if (names.every((name) => process.env[name] !== undefined) && isSet(YOUNG_GENERATION)) {
    for (const name of names) if (process.env[name] === SETTINGS[name]) delete process.env[name];
    return;
  }
  // A process with an IPC channel would lose it.
  if (process.platform !== 'linux' || process.execve === undefined || process.channel !== undefined) return;
  const options = isSet(YOUNG_GENERATION) ? [] : [`${YOUNG_GENERATION}=${MAX_SEMI_SPACE_MB}`];
  const args = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...SETTINGS, ...process.env });
}
