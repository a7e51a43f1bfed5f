import type { PasswordThrottle } from './access/password-throttle.ts';
import type { Config } from './config/config.ts';
import type { RecentCache, SnapshotCache } from './core/cache/index.ts';
import type { Clock } from './core/clock.ts';
import type { ProvidedFunction } from './core/extension-point.ts';
import type { FairSlots } from './core/fair-slots.ts';
import type { InFlight } from './core/in-flight.ts';
import type { ActionLimiter, ConcurrencyLimiter } from './core/limiters.ts';
import type { Logger } from './core/logger.ts';
import type { LongPolls } from './core/long-polls.ts';
import type { ProcessStart } from './core/process-start.ts';
import type { SecretBox } from './core/secret-box.ts';
import type { Database } from './db/database.ts';
import type { Db } from './db/db.schema.ts';
import type { ServerProcesses } from './db/db.server-processes.ts';
import type { Lifecycle } from './db/lifecycle.ts';
import type { MergeRequest } from './db/tables/merge-requests.table.ts';
import type { KeyedQueue } from './git/common/index.ts';
import type { Storages } from './git/repository/index.ts';
import type { ImmutableResponses } from './http/immutable-responses.ts';
import type { EventBus } from './jobs/jobs.events.ts';
import type { JobQueue } from './jobs/jobs.queue.ts';
import type { Mailer } from './mail/mailer.ts';
import type { OutgoingCalls } from './outbound/outgoing-calls.ts';
import type { DownloadTimes } from './packages/download-times.ts';
import type { PackageKinds } from './packages/package-kind.ts';
import type { JunitReports } from './pipelines/test-reports/junit-reports.ts';
import type { IntentRetries } from './repositories/intent-retries.ts';
import type { RefChangeHooks } from './repositories/ref-observers.ts';
import type { CurrentSettings } from './settings/current-settings.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { Archives } from './storage/zip/zip.archives.ts';

/**
 * Dependencies of services. Created once by `open` in start.ts and passed down; nothing else is global, and nothing of it
 * is set later: what somebody further up adds goes into an extension point.
 */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly start: ProcessStart;
  /** Whether no other server process worked on the data at that time. */
  readonly alone: boolean;
  /** The other processes on the same data, and those that have died. */
  readonly processes: ServerProcesses;
  readonly database: Database;
  /** The handle for queries outside a transaction; inside one, the transaction's own handle shadows it. */
  readonly db: Db;
  /** Database reads cached until the next commit. */
  readonly snapshot: SnapshotCache;
  /** Instance-wide values cached for a second. */
  readonly recent: RecentCache;
  /** Encrypts stored secrets, such as tokens of webhooks. */
  readonly secrets: SecretBox;
  /** Application settings for code that cannot wait; otherwise use `applicationSettings`. */
  readonly settings: CurrentSettings;
  readonly storages: Storages;
  /** Content addressed by its hash: LFS objects, uploads. */
  readonly blobs: BlobStore;
  readonly packageKinds: PackageKinds;
  /** Last download times of packages. */
  readonly downloads: DownloadTimes;
  /** Content of zip archives in the blob store. */
  readonly archives: Archives;
  /** Test reports in the blob store. */
  readonly junit: JunitReports;
  /** Requests and jobs of this process that have not ended. */
  readonly inFlight: InFlight;
  /** Serializes writes to each repository. */
  readonly writes: KeyedQueue;
  /** Serialized answers that depend on object ids only. */
  readonly immutableResponses: ImmutableResponses;
  /** Connection to the mail server; use `enqueueMail` to send a mail. */
  readonly mailer: Mailer;
  /** Calls to other servers by webhooks, integrations and mirrors. */
  readonly outgoing: OutgoingCalls;
  readonly jobs: JobQueue;
  readonly events: EventBus;
  /** Hooks for events of users, groups and projects. */
  readonly lifecycle: Lifecycle;
  /** Hooks of ref changes, in their transaction and before it. */
  readonly refChanges: RefChangeHooks;
  /** Ref changes whose completion could not be recorded yet. */
  readonly intentRetries: IntentRetries;
  /** Whether a merge request has the required approvals; provided by the area of approvals. */
  readonly isApproved: ProvidedFunction<[db: Db, mergeRequest: MergeRequest], boolean>;
  /** Rate limits of single actions. */
  readonly limiter: ActionLimiter;
  /** Limits concurrent expensive requests. */
  readonly expensive: ConcurrencyLimiter;
  /** Memory limit in bytes for large bodies and answers of all requests. */
  readonly memory: FairSlots;
  /** The part of it for streams: they last as long as a client likes, so the rest must remain usable. */
  readonly streams: FairSlots;
  /** Requests that wait for an event (long polling). */
  readonly longPolls: LongPolls;
  /** Checks passwords, with limits of concurrency and failures. */
  readonly passwords: PasswordThrottle;
  /** Base URL of the web and of clone addresses, without a trailing slash. */
  readonly externalUrl: () => string;
  /** URL of a repository for git over SSH. @param path path of the repository, with `.git` */
  readonly sshUrl: (path: string) => string;
}
