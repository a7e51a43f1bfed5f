/**
 * How the C library of Linux keeps memory for a program of several threads: in one pool instead of one for each thread, of which no more
 * than 4 MB stay when they are free, and large pieces always apart.
 */
const SETTINGS = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: String(4 * 1024 * 1024) };

/** Begins this process anew where the settings are missing: they are read only then. What it starts does not get them. */
export function boundAllocator() {
  const names = Object.keys(SETTINGS);
  if (names.every((name) => process.env[name] !== undefined)) {
    for (const name of names) if (process.env[name] === SETTINGS[name]) delete process.env[name];
    return;
  }
  // Who talks to it over a channel would lose that.
  if (process.platform !== 'linux' || process.execve === undefined || process.channel !== undefined) return;
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...SETTINGS, ...process.env });
}
