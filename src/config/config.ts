import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Throttle } from '../core/limiters.ts';
import { type MailAddress, parseMailAddress } from '../core/mail-address.ts';
import { defaultMemory } from '../core/memory-budget.ts';
import { NEWEST, parseReportedVersion, REPORTABLE, type ReportedVersion } from '../core/reported-version.ts';
import { defaultConnections } from '../core/resource-exhaustion.ts';
import { parseStorages, readStoragesFile, type StorageConfig } from './config.storages.ts';
import { ConfigError, type Environment, EnvironmentReader } from './env.ts';
import { readLicenseIssuer } from './license-issuer.ts';

export const PLANS = ['free', 'premium', 'ultimate'] as const;
export type Plan = (typeof PLANS)[number];

/** Which answers are given where the specification and the platform's clients differ. */
export const DIALECTS = ['specification', 'gitlab'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What becomes of calls to other servers: they are sent, or only recorded for the test bench. */
const BENCH_OUTBOUND = ['send', 'capture'] as const;

/** Parts of the server whose requests are counted separately. */
type Face = 'api' | 'web' | 'git';

/** Validated settings of a server. Created from the environment by `loadConfig`. */
export interface Config {
  host: string;
  port: number;
  /** Port of the SSH server; null if SSH is disabled. */
  sshPort: number | null;
  /** Host (IPv6 in brackets) and port that SSH clients are told, if a forwarder is in front of the server. */
  sshExternal: { host: string; port: number } | null;
  /** Addresses or networks of proxies whose SSH connections begin with a PROXY protocol header. */
  sshTrustedProxies: string[];
  dataDir: string;
  /** Whether all data is removed at the end; it is in a temporary folder then and not flushed to disk. */
  ephemeral: boolean;
  database: { kind: 'sqlite'; path: string; durable: boolean } | { kind: 'postgres'; url: string };
  rootToken: string | null;
  rootPassword: string | null;
  /** Base URL of the web and of clone addresses, without a trailing slash; null to use the listening address. */
  externalUrl: string | null;
  /** Which answers are given where the specification and the platform's clients differ. */
  dialect: Dialect;
  /** The version of the platform that clients are told. */
  reportedVersion: ReportedVersion;
  /** The plan if there is no license. */
  plan: Plan;
  /** Public key of the trusted license issuer, as Base64 of its DER; null if no licenses are accepted. */
  licenseIssuer: string | null;
  storages: StorageConfig[];
  /** File with the storages, which can be reloaded; null if they come from a variable. */
  storagesFile: string | null;
  allowLocalNetwork: boolean;
  mail: {
    /** URL of the mail server with username and password; null if no mails are sent. */
    smtpUrl: string | null;
    /** Sender of all mails; null for an address at the host of the external URL. */
    from: MailAddress | null;
    /** Prefix and suffix of all subjects, separated by ` | `; null for none. */
    subjectPrefix: string | null;
    subjectSuffix: string | null;
  };
  /** Addresses or networks of proxies whose X-Forwarded-* headers are trusted. */
  trustedProxies: string[];
  /** Addresses or networks that may access /-/metrics, /-/readiness and the like. */
  monitoringAllowlist: string[];
  limits: {
    /** Maximum size of an ordinary request body in bytes. */
    body: number;
    /** Maximum size in bytes of a body with files (commits, uploads). */
    fileBody: number;
    /** Maximum size of a git push in bytes. */
    push: number;
    /** Maximum size in bytes of a snippet file, and of a git push to a snippet. */
    snippet: number;
    /** Maximum total size in bytes of the files in a repository archive. */
    archive: number;
    /** Maximum number of connections, below the limit of file descriptors. */
    connections: number;
    /** Memory limit in bytes for large bodies and answers of all requests. */
    memory: number;
    /** Maximum number of concurrent expensive requests per user or address. */
    expensivePerCaller: number;
  };
  /** Limits for slow clients. */
  transfers: {
    /** Maximum duration of a parsed body in milliseconds. */
    bodyMs: number;
    /** Maximum duration in milliseconds of a streamed body or answer, such as a clone or a push. */
    totalMs: number;
    /** Minimum average rate of a client in bytes per second; 0 for none. */
    minRate: number;
  };
  /** Days before a deleted group or project is removed for good; 0 for immediately. */
  deletionDelayDays: number;
  /** Retention in days of processed events and of dead jobs. */
  retention: { eventDays: number; deadJobDays: number };
  /** Rate limits of users, and of addresses without a user, for the API, other web addresses and git. */
  throttles: Record<Face, { authenticated: Throttle; unauthenticated: Throttle }>;
  /** Milliseconds that requests in flight get at shutdown. */
  shutdownMs: number;
  /** Seed file that is applied before the first request, or what would be in one; null for none. */
  seed: string | Readonly<Record<string, unknown>> | null;
  /** The test bench; null if it is off. */
  bench: { outbound: (typeof BENCH_OUTBOUND)[number] } | null;
  logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** Cost of Argon2id; lowered by tests only. */
  passwordHash: { memoryKiB: number; passes: number };
  /** Interval between writes of the log of webhook deliveries, in milliseconds: calls in it may be repeated after a crash. Tests set 0. */
  deliveryLogPauseMs: number;
}

const MiB = 1024 * 1024;

function storages(env: EnvironmentReader, dataDir: string): Pick<Config, 'storages' | 'storagesFile'> {
  const text = env.string('STITHY_STORAGES', null);
  const file = env.string('STITHY_STORAGES_FILE', null);
  if (file !== null) {
    if (text !== null) throw new ConfigError('STITHY_STORAGES and STITHY_STORAGES_FILE are mutually exclusive.');
    return { storages: readStoragesFile(resolve(file)), storagesFile: resolve(file) };
  }
  const list =
    text === null
      ? [{ name: 'default', path: join(dataDir, 'repositories'), weight: 100 }]
      : parseStorages(text.split(','), 'STITHY_STORAGES');
  return { storages: list, storagesFile: null };
}

/** Name of the data folder of an ephemeral server, with the id of its process. */
export const EPHEMERAL = /^stithy-ephemeral-(\d+)-[0-9a-f]+$/;

/** The data folder, and whether it goes with the server. @throws ConfigError */
function dataFolder(env: EnvironmentReader): Pick<Config, 'dataDir' | 'ephemeral'> {
  const named = env.string('STITHY_DATA_DIR', null);
  if (!env.boolean('STITHY_EPHEMERAL', false)) return { dataDir: resolve(named ?? './data'), ephemeral: false };
  for (const name of ['STITHY_DATA_DIR', 'STITHY_STORAGES', 'STITHY_STORAGES_FILE']) {
    if (env.string(name, null) !== null) throw new ConfigError(`STITHY_EPHEMERAL and ${name} are mutually exclusive.`);
  }
  if (/^postgres/.test(env.string('STITHY_DATABASE_URL', ''))) {
    throw new ConfigError('STITHY_EPHEMERAL takes the embedded database, not that of STITHY_DATABASE_URL.');
  }
  const name = `stithy-ephemeral-${process.pid}-${randomBytes(6).toString('hex')}`;
  return { dataDir: join(tmpdir(), name), ephemeral: true };
}

function database(text: string | null, dataDir: string, durable: boolean): Config['database'] {
  if (text === null) return { kind: 'sqlite', path: join(dataDir, 'stithy.db'), durable };
  if (text.startsWith('sqlite:'))
    return { kind: 'sqlite', path: sqlitePath(text.slice('sqlite:'.length), dataDir), durable };
  if (/^postgres(ql)?:\/\//.test(text)) {
    if (!URL.canParse(text))
      throw new ConfigError('STITHY_DATABASE_URL must be an address such as postgres://user:password@host/name.');
    return { kind: 'postgres', url: text };
  }
  throw new ConfigError('STITHY_DATABASE_URL must begin with sqlite: or postgres://.');
}

function sqlitePath(file: string, dataDir: string): string {
  const path = resolve(dataDir, file);
  if (file === '' || !path.startsWith(`${dataDir}${sep}`)) {
    throw new ConfigError(
      `STITHY_DATABASE_URL must name a file in the data folder, such as sqlite:stithy.db, not "sqlite:${file}".`,
    );
  }
  return path;
}

function mailFrom(text: string | null): MailAddress | null {
  if (text === null) return null;
  const address = parseMailAddress(text);
  if (address === undefined) {
    throw new ConfigError(`STITHY_MAIL_FROM must be an address such as "Stithy <stithy@example.com>", not "${text}".`);
  }
  return address;
}

const throttles = (env: EnvironmentReader, face: string) => ({
  authenticated: throttle(env, `AUTHENTICATED${face}`),
  unauthenticated: throttle(env, `UNAUTHENTICATED${face}`),
});

function throttle(env: EnvironmentReader, name: string): Throttle {
  return {
    requests: env.integer(`STITHY_THROTTLE_${name}_REQUESTS`, 0, { min: 0, max: 1e9 }),
    periodSeconds: env.integer(`STITHY_THROTTLE_${name}_PERIOD`, 60, { min: 1, max: 86_400 }),
  };
}

/** @throws ConfigError */
function reportedVersion(text: string | null): ReportedVersion {
  if (text === null) return NEWEST;
  const version = parseReportedVersion(text);
  if (version !== undefined) return version;
  throw new ConfigError(
    `STITHY_REPORTED_VERSION must be a version from ${REPORTABLE}, such as 17.11.0-ee, not "${text}".`,
  );
}

function bench(env: EnvironmentReader): Config['bench'] {
  const isOn = env.boolean('STITHY_BENCH', false);
  const outbound = env.oneOf('STITHY_BENCH_OUTBOUND', BENCH_OUTBOUND, 'send');
  return isOn ? { outbound } : null;
}

/**
 * Reads the configuration from the environment.
 * @throws ConfigError naming the first invalid variable
 */
export function loadConfig(environment: Environment): { config: Config; warnings: string[] } {
  const env = new EnvironmentReader(environment);
  const { dataDir, ephemeral } = dataFolder(env);
  const rootToken = env.string('STITHY_ROOT_TOKEN', null);
  if (rootToken !== null && !/^[\x21-\x7e]{20,255}$/.test(rootToken)) {
    throw new ConfigError('STITHY_ROOT_TOKEN must be 20 to 255 printable characters without spaces.');
  }
  const rootPassword = env.string('STITHY_ROOT_PASSWORD', null);
  if (rootPassword !== null && rootPassword.length < 8) {
    throw new ConfigError('STITHY_ROOT_PASSWORD must have at least 8 characters.');
  }
  const seed = env.string('STITHY_SEED', null);
  const licenseIssuer = env.string('STITHY_LICENSE_ISSUER', null);
  const config: Config = {
    host: env.string('STITHY_HOST', '127.0.0.1'),
    port: env.integer('STITHY_PORT', 8080, { min: 0, max: 65_535 }),
    sshPort: env.maybeInteger('STITHY_SSH_PORT', { min: 0, max: 65_535 }),
    sshExternal: env.sshEndpoint('STITHY_SSH_EXTERNAL_URL'),
    sshTrustedProxies: env.addresses('STITHY_SSH_TRUSTED_PROXIES'),
    dataDir,
    ephemeral,
    database: database(
      env.string('STITHY_DATABASE_URL', null),
      dataDir,
      env.oneOf('STITHY_SYNC', ['full', 'off'], 'full') === 'full' && !ephemeral,
    ),
    rootToken,
    rootPassword,
    externalUrl: env.url('STITHY_EXTERNAL_URL', null)?.href.replace(/\/+$/, '') ?? null,
    reportedVersion: reportedVersion(env.string('STITHY_REPORTED_VERSION', null)),
    plan: env.oneOf('STITHY_PLAN', PLANS, 'ultimate'),
    dialect: env.oneOf('STITHY_DIALECT', DIALECTS, 'specification'),
    licenseIssuer: licenseIssuer === null ? null : readLicenseIssuer(licenseIssuer),
    ...storages(env, dataDir),
    allowLocalNetwork: env.boolean('STITHY_ALLOW_LOCAL_NETWORK', false),
    mail: {
      smtpUrl: env.smtpUrl('STITHY_SMTP_URL'),
      from: mailFrom(env.string('STITHY_MAIL_FROM', null)),
      subjectPrefix: env.string('STITHY_MAIL_SUBJECT_PREFIX', null),
      subjectSuffix: env.string('STITHY_MAIL_SUBJECT_SUFFIX', null),
    },
    trustedProxies: env.addresses('STITHY_TRUSTED_PROXIES'),
    monitoringAllowlist: env.addresses('STITHY_MONITORING_ALLOWLIST'),
    limits: {
      body: env.integer('STITHY_MAX_BODY', 2 * MiB, { min: 1024, max: 1024 * MiB }),
      fileBody: env.integer('STITHY_MAX_FILE_BODY', 100 * MiB, { min: 1024, max: 512 * MiB }),
      push: env.integer('STITHY_MAX_PUSH', 5 * 1024 * MiB, { min: 1024, max: Number.MAX_SAFE_INTEGER }),
      snippet: env.integer('STITHY_MAX_SNIPPET', 50 * MiB, { min: 1024, max: 512 * MiB }),
      archive: env.integer('STITHY_MAX_ARCHIVE', 10 * 1024 * MiB, { min: 1024, max: Number.MAX_SAFE_INTEGER }),
      connections: env.integer('STITHY_MAX_CONNECTIONS', defaultConnections(), { min: 1, max: 1_000_000 }),
      memory: env.integer('STITHY_MAX_MEMORY', defaultMemory(), { min: MiB, max: Number.MAX_SAFE_INTEGER }),
      expensivePerCaller: env.integer('STITHY_MAX_EXPENSIVE_PER_CALLER', 8, { min: 1, max: 10_000 }),
    },
    transfers: {
      bodyMs: env.integer('STITHY_BODY_TIMEOUT', 60, { min: 1, max: 86_400 }) * 1_000,
      totalMs: env.integer('STITHY_TRANSFER_TIMEOUT', 7_200, { min: 1, max: 604_800 }) * 1_000,
      minRate: env.integer('STITHY_MIN_RATE', 1_024, { min: 0, max: 1e9 }),
    },
    deletionDelayDays: env.integer('STITHY_DELETION_DELAY_DAYS', 0, { min: 0, max: 365 }),
    retention: {
      eventDays: env.integer('STITHY_EVENT_DAYS', 30, { min: 1, max: 3_650 }),
      deadJobDays: env.integer('STITHY_DEAD_JOB_DAYS', 90, { min: 1, max: 3_650 }),
    },
    throttles: { api: throttles(env, ''), web: throttles(env, '_WEB'), git: throttles(env, '_GIT') },
    shutdownMs: env.integer('STITHY_SHUTDOWN_TIMEOUT', 25, { min: 0, max: 86_400 }) * 1_000,
    seed: seed === null ? null : resolve(seed),
    bench: bench(env),
    logLevel: env.oneOf('STITHY_LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], 'info'),
    passwordHash: { memoryKiB: 19_456, passes: 2 },
    deliveryLogPauseMs: 200,
  };
  if (config.monitoringAllowlist.length === 0) config.monitoringAllowlist = ['127.0.0.0/8', '::1/128'];
  const warnings = env
    .unknown('STITHY_')
    .map((name) => `${name} is not a setting of this version and is ignored. See docs/operating.md.`);
  return { config, warnings };
}
