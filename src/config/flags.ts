import type { Environment } from './env.ts';

/** An option of `stithy serve` that stands for a variable. */
interface Flag {
  name: string;
  variable: `STITHY_${string}`;
  /** What its value is called in the help; null for one without a value, which turns something on. */
  value: string | null;
  what: string;
}

/** The options of `stithy serve` for the variables that people set often; help and docs/testing.md are made of them. */
export const FLAGS: readonly Flag[] = [
  { name: 'host', variable: 'STITHY_HOST', value: 'ADDRESS', what: 'address to listen on' },
  { name: 'port', variable: 'STITHY_PORT', value: 'N', what: 'port to listen on; 0 picks a free one' },
  { name: 'ssh-port', variable: 'STITHY_SSH_PORT', value: 'N', what: 'port for git over SSH; 0 picks a free one' },
  { name: 'external-url', variable: 'STITHY_EXTERNAL_URL', value: 'URL', what: 'base of web and clone addresses' },
  { name: 'data', variable: 'STITHY_DATA_DIR', value: 'DIR', what: 'data folder' },
  { name: 'database', variable: 'STITHY_DATABASE_URL', value: 'URL', what: 'sqlite:FILE or postgres://...' },
  {
    name: 'ephemeral',
    variable: 'STITHY_EPHEMERAL',
    value: null,
    what: 'data in a temporary folder, never flushed to disk and removed at the end',
  },
  { name: 'token', variable: 'STITHY_ROOT_TOKEN', value: 'TOKEN', what: "the administrator's token" },
  { name: 'password', variable: 'STITHY_ROOT_PASSWORD', value: 'TEXT', what: "the administrator's password" },
  { name: 'seed', variable: 'STITHY_SEED', value: 'FILE', what: 'seed file to apply before the first request' },
  { name: 'plan', variable: 'STITHY_PLAN', value: 'NAME', what: 'free, premium or ultimate' },
  { name: 'bench', variable: 'STITHY_BENCH', value: null, what: "the test bench's addresses" },
  {
    name: 'bench-outbound',
    variable: 'STITHY_BENCH_OUTBOUND',
    value: 'HOW',
    what: 'send or capture calls of webhooks and integrations',
  },
  { name: 'reported-version', variable: 'STITHY_REPORTED_VERSION', value: 'VERSION', what: 'version to report' },
  { name: 'dialect', variable: 'STITHY_DIALECT', value: 'NAME', what: 'specification or gitlab' },
  {
    name: 'allow-local-network',
    variable: 'STITHY_ALLOW_LOCAL_NETWORK',
    value: null,
    what: 'outgoing requests may reach private addresses',
  },
  { name: 'smtp-url', variable: 'STITHY_SMTP_URL', value: 'URL', what: 'mail server' },
  { name: 'log-level', variable: 'STITHY_LOG_LEVEL', value: 'LEVEL', what: 'silent, error, warn, info or debug' },
];

/** Of these variables one given as an option takes back the other, given in the environment. */
const EXCLUSIVE: Readonly<Record<string, string>> = {
  STITHY_EPHEMERAL: 'STITHY_DATA_DIR',
  STITHY_DATA_DIR: 'STITHY_EPHEMERAL',
};

/** The flags as options for `parseArgs`. */
export const FLAG_OPTIONS: Readonly<Record<string, { type: 'string' | 'boolean' }>> = Object.fromEntries(
  FLAGS.map(({ name, value }) => [name, { type: value === null ? 'boolean' : 'string' }]),
);

/** What the help says of the flags, a line for each. */
export function flagsHelp(): string {
  const lines = FLAGS.map(({ name, value, what }) => [`--${name}${value === null ? '' : ` ${value}`}`, what] as const);
  const width = Math.max(...lines.map(([left]) => left.length)) + 2;
  return lines.map(([left, what]) => `  ${left.padEnd(width)}${what}\n`).join('');
}

/**
 * The environment with the flags in it, each in place of its variable.
 * @param values of the parsed flags by name
 */
export function withFlags(env: Environment, values: Readonly<Record<string, unknown>>): Environment {
  const given = FLAGS.filter(({ name }) => values[name] !== undefined);
  const flagged: Record<string, string | undefined> = { ...env };
  for (const { variable } of given) if (EXCLUSIVE[variable] !== undefined) delete flagged[EXCLUSIVE[variable]];
  for (const { name, variable } of given) flagged[variable] = String(values[name]);
  return flagged;
}

/** A message about variables, which also names the flags that gave them. */
export function namingFlags(message: string, values: Readonly<Record<string, unknown>>): string {
  return FLAGS.filter(({ name }) => values[name] !== undefined).reduce(
    (text, { name, variable }) => text.replace(new RegExp(`\\b${variable}\\b`), `--${name} (${variable})`),
    message,
  );
}
