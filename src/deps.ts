import type { NewPersonalToken, PersonalToken } from './access/new-personal-token.ts';
import type { PasswordThrottle } from './access/password-throttle.ts';
import type { Config } from './config/config.ts';
import type { RecentCache, SnapshotCache } from './core/cache/index.ts';
import type { Clock } from './core/clock.ts';
import type { FairSlots } from './core/fair-slots.ts';
import type { InFlight } from './core/in-flight.ts';
import type { Logger } from './core/logger.ts';
import type { LongPolls } from './core/long-polls.ts';
import type { SecretBox } from './core/secret-box.ts';
import type { Database } from './db/database.ts';
import type { Db } from './db/db.schema.ts';
import type { ServerProcesses } from './db/db.server-processes.ts';
import type { Lifecycle } from './db/lifecycle.ts';
import type { MergeRequest } from './db/tables/merge-requests.table.ts';
import type { RefChange } from './db/tables/ref-intents.table.ts';
import type { User } from './db/tables/users.table.ts';
import type { KeyedQueue } from './git/git.queue.ts';
import type { Storages } from './git/git.storages.ts';
import type { ImmutableResponses } from './http/immutable-responses.ts';
import type { ActionLimiter, ConcurrencyLimiter } from './http/rate-limit.ts';
import type { EventBus } from './jobs/jobs.events.ts';
import type { JobQueue } from './jobs/jobs.queue.ts';
import type { Mailer } from './mail/mailer.ts';
import type { DownloadTimes } from './packages/download-times.ts';
import type { JunitReports } from './pipelines/test-reports/junit-reports.ts';
import type { Holder } from './repositories/holder.ts';
import type { IntentRetries } from './repositories/intent-retries.ts';
import type { PushFact } from './repositories/push-facts.ts';
import type { RefObserver } from './repositories/ref-observers.ts';
import type { CurrentSettings } from './settings/current-settings.ts';
import type { BlobStore } from './storage/blob-store.ts';
import type { Archives } from './storage/zip/zip.archives.ts';

/** Dependencies of services. Created once by `main.ts` (or a test) and passed down; nothing else is global. */
export interface Deps {
  config: Config;
  clock: Clock;
  log: Logger;
  /** When this process opened its data and had ended the orphans of an earlier one, by the clock of the file system. */
  startedAt: Date;
  /** Milliseconds since then, by a monotonic clock. */
  uptimeMs: () => number;
  /** Whether no other server process worked on the data at that time. */
  alone: boolean;
  /** The other processes on the same data, and those that have died. */
  processes: ServerProcesses;
  database: Database;
  /** The handle for queries outside a transaction; inside one, the transaction's own handle shadows it. */
  db: Db;
  /** Database reads cached until the next commit. */
  snapshot: SnapshotCache;
  /** Instance-wide values cached for a second. */
  recent: RecentCache;
  /** Encrypts stored secrets, such as tokens of webhooks. */
  secrets: SecretBox;
  /** Application settings for code that cannot wait; otherwise use `applicationSettings`. */
  settings: CurrentSettings;
  storages: Storages;
  /** Content addressed by its hash: LFS objects, uploads. */
  blobs: BlobStore;
  /** Last download times of packages. */
  downloads: DownloadTimes;
  /** Content of zip archives in the blob store. */
  archives: Archives;
  /** Test reports in the blob store. */
  junit: JunitReports;
  /** Requests and jobs of this process that have not ended. */
  inFlight: InFlight;
  /** Serializes writes to each repository. */
  writes: KeyedQueue;
  /** Serialized answers that depend on object ids only. */
  immutableResponses: ImmutableResponses;
  /** Connection to the mail server; use `enqueueMail` to send a mail. */
  mailer: Mailer;
  jobs: JobQueue;
  events: EventBus;
  /** Hooks for events of users, groups and projects. */
  lifecycle: Lifecycle;
  /** Hooks that run in the transaction of ref changes. */
  refObservers: RefObserver[];
  /** Facts about pushed refs that are computed before the push is recorded. */
  pushFacts: PushFact[];
  /** Ref changes whose completion could not be recorded yet. */
  intentRetries: IntentRetries;
  /** Completes or drops a ref change of this process by the key of its intent; set where recovery is registered. */
  recoverIntent(holder: Pick<Holder, 'type' | 'id'>, key: string): Promise<void>;
  /** Recovers or waits for ref changes announced by other processes; set where recovery is registered. */
  recoverPreceding(holder: Pick<Holder, 'type' | 'id'>, updates: readonly RefChange[]): Promise<void>;
  /** Whether a merge request has the required approvals; set by the area of approvals. */
  isApproved(db: Db, mergeRequest: MergeRequest): Promise<boolean>;
  /** Creates a personal access token for a user; set by the area of tokens. @throws ApiError 400, 403 */
  createPersonalToken(user: User, request: NewPersonalToken): Promise<PersonalToken>;
  /** Rate limits of single actions. */
  limiter: ActionLimiter;
  /** Limits concurrent expensive requests. */
  expensive: ConcurrencyLimiter;
  /** Memory limit in bytes for large bodies and answers of all requests. */
  memory: FairSlots;
  /** The part of it for streams: they last as long as a client likes, so the rest must remain usable. */
  streams: FairSlots;
  /** Requests that wait for an event (long polling). */
  longPolls: LongPolls;
  /** Checks passwords, with limits of concurrency and failures. */
  passwords: PasswordThrottle;
  /** Base URL of the web and of clone addresses, without a trailing slash. */
  externalUrl(): string;
  /** URL of a repository for git over SSH. @param path path of the repository, with `.git` */
  sshUrl(path: string): string;
}
