import { join } from 'node:path';
import type { CompiledQuery } from 'kysely';
import { PasswordThrottle } from './access/password-throttle.ts';
import { recoverBackgroundWork, registerBackgroundWork } from './api/index.ts';
import { packageKinds } from './api/packages/index.ts';
import { buildApp } from './app.ts';
import { bootstrap, makeFirstToken } from './bootstrap.ts';
import type { Config } from './config/config.ts';
import { RecentCache, SnapshotCache } from './core/cache/index.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { ProvidedFunction } from './core/extension-point.ts';
import { releaseIdleMemory } from './core/idle-memory.ts';
import { InFlight } from './core/in-flight.ts';
import { ActionLimiter, ConcurrencyLimiter } from './core/limiters.ts';
import type { Logger } from './core/logger.ts';
import { LongPolls } from './core/long-polls.ts';
import { memoryBudget } from './core/memory-budget.ts';
import { makePrivateFolder } from './core/private-folder.ts';
import { ProcessStart } from './core/process-start.ts';
import { openSecretBox } from './core/secret-box.ts';
import { type Database, openDatabase } from './db/database.ts';
import { type Claim, claimData } from './db/db.claim.ts';
import { ServerProcesses } from './db/db.server-processes.ts';
import { bindFolder, claimFolders } from './db/folder-claim.ts';
import { Lifecycle } from './db/lifecycle.ts';
import { rememberCounts } from './db/paginate.ts';
import { flushKilledSeed } from './deferred-seed-flush.ts';
import type { Deps } from './deps.ts';
import { makeEphemeral } from './ephemeral-data.ts';
import { KeyedQueue } from './git/common/index.ts';
import { startSpawner, useGitConfig } from './git/process/index.ts';
import { RepositoryPool, Storages } from './git/repository/index.ts';
import type { SshServer } from './git-server/ssh/ssh-server.server.ts';
import type { HttpServer } from './http/http.server.ts';
import { ImmutableResponses } from './http/immutable-responses.ts';
import { EventBus } from './jobs/jobs.events.ts';
import { registerPruning } from './jobs/jobs.prune.ts';
import { JobQueue } from './jobs/jobs.queue.ts';
import { registerSealing } from './jobs/seal-secrets.ts';
import { listenToHttp, listenToSsh, urlOf } from './listeners.ts';
import { Mailer } from './mail/mailer.ts';
import { mailHost, registerMail } from './mail/send-mail.ts';
import { cleanUpOrphans } from './orphan-clean-up.ts';
import { OutgoingCalls } from './outbound/outgoing-calls.ts';
import { DownloadTimes } from './packages/download-times.ts';
import { JunitReports } from './pipelines/test-reports/junit-reports.ts';
import { allowReaderThreads } from './reader-threads.ts';
import { IntentRetries } from './repositories/intent-retries.ts';
import { resumeMoves } from './repositories/moves/storage-moves.background.ts';
import { recoverIntentsAtStart } from './repositories/recover-intents.ts';
import { refChangeHooks } from './repositories/ref-observers.ts';
import { enqueueSweep, registerRepositoryWork } from './repositories/repository.background.ts';
import { sshAddress } from './repositories/ssh-address.ts';
import { seedAtStart } from './seed-at-start.ts';
import { applicationSettings } from './settings/application-settings.ts';
import { CurrentSettings, SETTINGS_CHANNEL } from './settings/current-settings.ts';
import { lockRule } from './settings/settings.sign-in.ts';
import { defaultSettings } from './settings/settings-table.ts';
import { shutDown } from './shutdown.ts';
import { StartBarrier } from './start-barrier.ts';
import { startError } from './start-errors.ts';
import { DiskBlobStore } from './storage/disk-blob-store.ts';
import { Archives } from './storage/zip/zip.archives.ts';
import { reloadStorages } from './storages-reload.ts';
import { BenchClock, finishAfterOpen, finishBeforeOpen, TestBench } from './test-bench/index.ts';

export interface Instance {
  deps: Deps;
  server: HttpServer;
  /** The test bench; null if it is off. */
  bench: TestBench | null;
  /** Whether the data folder was empty. */
  firstStart: boolean;
  /** Closes everything that `open` opened. */
  close(): Promise<void>;
}

/**
 * Opens the database and the storages and builds the server. It does not listen yet and runs no jobs.
 * @param base the clock; with a test bench another one is built on it
 * @param alone whether no other server process works on the data
 * @param onQuery called with every database query; for tests of query plans
 */
export async function open(
  config: Config,
  log: Logger,
  base: Clock = systemClock,
  alone = config.database.kind === 'sqlite',
  onQuery?: (query: CompiledQuery) => void,
): Promise<Instance> {
  // What a seed makes has the dates that it tells.
  const clock = config.bench === null && config.seed === null ? base : new BenchClock(base);
  await makeFolders(config);
  await flushKilledSeed(config);
  const storages = config.storages.map(({ path }) => path);
  const releaseGitConfig = useGitConfig(config.dataDir, storages);
  const { database, processes } = await openData(config, clock, log, onQuery).catch((error: unknown) => {
    releaseGitConfig();
    throw error;
  });
  const pool = new RepositoryPool();
  const inFlight = new InFlight();
  const jobs = new JobQueue(database.db, clock, log, config.database.kind === 'postgres', inFlight, processes.id);
  const blobs = new DiskBlobStore(join(config.dataDir, 'blobs'));
  const snapshot = new SnapshotCache(database.version);
  rememberCounts(database.db, snapshot);
  const deps: Deps = {
    config,
    clock,
    log,
    start: new ProcessStart(),
    alone,
    processes,
    database,
    db: database.db,
    snapshot,
    recent: new RecentCache(),
    secrets: openSecretBox(config.dataDir),
    settings: new CurrentSettings(
      () => applicationSettings({ config, db: database.db, snapshot, clock }),
      defaultSettings(config),
      config.database.kind === 'postgres',
      () => processes.notify(database.db, SETTINGS_CHANNEL),
    ),
    storages: new Storages(config.storages, pool),
    blobs,
    packageKinds,
    downloads: new DownloadTimes(database.db, log),
    archives: new Archives(blobs),
    junit: new JunitReports(blobs),
    writes: new KeyedQueue(),
    inFlight: inFlight,
    immutableResponses: new ImmutableResponses(),
    limiter: new ActionLimiter(() => clock.now().getTime()),
    expensive: new ConcurrencyLimiter(config.limits.expensivePerCaller),
    memory: memoryBudget(config.limits.memory),
    longPolls: new LongPolls(),
    streams: memoryBudget(Math.ceil(config.limits.memory / 2)),
    passwords: new PasswordThrottle(
      clock,
      () => config.passwordHash,
      () => lockRule(deps.settings.now),
    ),
    mailer: new Mailer(config.mail, () => mailHost(deps)),
    outgoing: new OutgoingCalls(),
    jobs,
    events: new EventBus(database.db, jobs, clock),
    lifecycle: new Lifecycle(),
    refChanges: refChangeHooks(),
    intentRetries: new IntentRetries(log),
    isApproved: new ProvidedFunction('isApproved'),
    externalUrl: () => config.externalUrl ?? urlOf(config),
    sshUrl: (path) => sshAddress(config, deps.externalUrl(), path),
  };
  const close = async () => {
    await jobs.stop();
    await deps.intentRetries.stop();
    await deps.downloads.stop();
    await deps.mailer.close();
    await pool.close();
    await processes.close();
    await database.close();
    releaseGitConfig();
  };
  try {
    processes.onDeath((id) => jobs.reclaimFrom(id));
    registerRepositoryWork(deps);
    registerBackgroundWork(deps);
    deps.isApproved.requireProvided();
    registerMail(deps);
    registerPruning(deps);
    registerSealing(deps);
    const firstStart = await bootstrap(deps);
    await deps.settings.refresh();
    await processes.listen(SETTINGS_CHANNEL, () => void deps.settings.refresh().catch(() => {}));
    const bench = config.bench === null ? null : new TestBench(deps);
    await bench?.load();
    return { deps, server: buildApp(deps, bench), bench, firstStart, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the database, completes a restore that was interrupted, and registers this process; leaves nothing open if that fails. */
async function openData(
  config: Config,
  clock: Clock,
  log: Logger,
  onQuery?: (query: CompiledQuery) => void,
): Promise<{ database: Database; processes: ServerProcesses }> {
  await finishBeforeOpen(config);
  const database = await openDatabase(config.database, onQuery);
  try {
    await finishAfterOpen(config, database.db);
    const url = config.database.kind === 'postgres' ? config.database.url : null;
    return { database, processes: await ServerProcesses.enter(database.db, clock, log, url) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The folders that hold the server's data. */
const foldersOf = (config: Config): string[] => [config.dataDir, ...config.storages.map(({ path }) => path)];

async function makeFolders(config: Config): Promise<void> {
  for (const folder of foldersOf(config)) await makePrivateFolder(folder);
}

export interface Running extends Instance {
  /** Address the server listens on, without a trailing slash. */
  url: string;
  /** The administrator's token, if it was created at this start. */
  newToken: string | null;
  /** The SSH server; null if SSH is disabled. */
  ssh: SshServer | null;
  /**
   * Stops gracefully: readiness turns false, requests in flight are finished, then everything is closed.
   * @param hurry cuts off what is in flight before the configured time
   */
  stop(hurry?: AbortSignal): Promise<void>;
  /** Reads the storages file again. @throws StartupError for a file that cannot be used; nothing is changed then */
  reloadStorages(): Promise<void>;
}

export interface ServeOptions {
  clock?: Clock;
  /** Aborts the start; everything opened so far is closed. */
  signal?: AbortSignal;
}

/**
 * Opens everything, recovers what an earlier process left behind, listens and starts the background work.
 * @throws StartupError if settings, data or environment do not allow it; the signal's reason if it is aborted
 */
export async function serve(config: Config, log: Logger, options: ServeOptions = {}): Promise<Running> {
  const undo: (() => unknown)[] = [];
  try {
    if (config.ephemeral) undo.push(await makeEphemeral(config.dataDir));
    await makeFolders(config);
    // An embedded database comes first: its message is more specific.
    const claim = await claimData(config.database);
    undo.push(() => claim.release());
    undo.push(claimFolders(foldersOf(config), config.database.kind === 'postgres'));
    const release = async () => {
      for (const step of undo.splice(0).reverse()) await step();
    };
    const keep = (step: () => unknown) => void undo.push(step);
    return await serveClaimed(config, log, options, claim, { release, keep });
  } catch (error) {
    for (const step of undo.splice(0).reverse()) await step();
    throw startError(error, config);
  }
}

async function serveClaimed(
  config: Config,
  log: Logger,
  { clock, signal }: ServeOptions,
  claim: Claim,
  claims: { release: () => Promise<void>; keep: (release: () => unknown) => void },
): Promise<Running> {
  signal?.throwIfAborted();
  const instance = await open(config, log, clock, claim.alone);
  const { app } = instance.server;
  const barrier = new StartBarrier(app.server, config.seed !== null);
  let url: string;
  let newToken: string | null;
  let ssh: SshServer | null = null;
  try {
    for (const folder of foldersOf(config)) await bindFolder(folder, instance.deps.db);
    signal?.throwIfAborted();
    // A new installation has none.
    if (claim.alone && !instance.firstStart) await cleanUpOrphans(instance.deps);
    if (claim.alone) await instance.deps.jobs.reclaim();
    await recoverIntentsAtStart(instance.deps);
    await recoverBackgroundWork(instance.deps);
    if (claim.alone) await resumeMoves(instance.deps);
    if (claim.alone) await instance.deps.processes.deleteOthers();
    signal?.throwIfAborted();
    // Before the seed: what it makes may hold addresses of the server.
    url = await listenToHttp(app, config);
    ssh = await listenToSsh(instance.deps, barrier.admit(instance.bench?.snapshots.gate.enter));
    instance.bench?.snapshots.attach(ssh);
    await seedAtStart(instance, config.seed);
    await claim.share();
    signal?.throwIfAborted();
    // After everything that can fail: a token created before a failed start would never be seen.
    newToken = await makeFirstToken(instance.deps);
    await enqueueSweep(instance.deps);
  } catch (error) {
    ssh?.close();
    await app.close();
    await instance.close();
    throw error;
  }
  await instance.bench?.snapshots.markStart();
  barrier.open();
  instance.deps.jobs.start();
  instance.deps.processes.start();
  allowReaderThreads(instance.deps.storages.pool);
  claims.keep(
    startSpawner((pid) => log.log('warn', 'the process that starts git has exited; another one takes over', { pid })),
  );
  claims.keep(releaseIdleMemory());
  let stopping: Promise<void> | undefined;
  return {
    ...instance,
    url,
    newToken,
    ssh,
    reloadStorages: async () => claims.keep(await reloadStorages(instance.deps)),
    stop: (hurry) => {
      stopping ??= shutDown({ ...instance, ssh }, config.shutdownMs, log, hurry).finally(claims.release);
      return stopping;
    },
  };
}
