import type { NewPersonalToken, PersonalToken } from './access/new-personal-token.ts';
import type { PasswordThrottle } from './access/password-throttle.ts';
import type { Config } from './config/config.ts';
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
import type { RecentCache } from './db/recent-cache.ts';
import type { SnapshotCache } from './db/snapshot-cache.ts';
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

/** What services work with. Made once by `main.ts` (or a test) and handed down; nothing else is global. */
export interface Deps {
  config: Config;
  clock: Clock;
  log: Logger;
  /** When this process opened its data and had ended what else wrote there, by the clock of the file system. */
  startedAt: Date;
  /** Milliseconds since then, by a clock that never jumps. */
  uptimeMs: () => number;
  /** Whether no other server process worked on the data at that time. */
  alone: boolean;
  /** Which others work on it now, and which have died. */
  processes: ServerProcesses;
  database: Database;
  /** The handle for queries outside a transaction; inside one, the transaction's own handle shadows it. */
  db: Db;
  /** Database reads that stay true until the next commit. */
  snapshot: SnapshotCache;
  /** Settings of the installation, which are read again after a second. */
  recent: RecentCache;
  /** Seals what others gave the server to use, such as tokens of webhooks. */
  secrets: SecretBox;
  /** What administrators have set, for what cannot wait; else `applicationSettings`. */
  settings: CurrentSettings;
  storages: Storages;
  /** Large content by its hash: LFS objects, uploads. */
  blobs: BlobStore;
  /** When packages were last downloaded. */
  downloads: DownloadTimes;
  /** What zip archives in it hold. */
  archives: Archives;
  /** What reports of tests in it hold. */
  junit: JunitReports;
  /** Requests and jobs of this process that have not ended. */
  inFlight: InFlight;
  /** One write at a time to each repository. */
  writes: KeyedQueue;
  /** Serialised answers that are functions of object ids. */
  immutableResponses: ImmutableResponses;
  /** The way to the mail server; to have a mail sent, `enqueueMail`. */
  mailer: Mailer;
  jobs: JobQueue;
  events: EventBus;
  /** Who takes part in what happens to users, groups and projects. */
  lifecycle: Lifecycle;
  /** Who takes part in changes of refs, within their transaction. */
  refObservers: RefObserver[];
  /** What is found out of pushed refs before their push is recorded. */
  pushFacts: PushFact[];
  /** Writes whose end could not be recorded yet. */
  intentRetries: IntentRetries;
  /** Finishes or drops a write of this process by the key of its intent; set where recovery is registered. */
  recoverIntent(holder: Pick<Holder, 'type' | 'id'>, key: string): Promise<void>;
  /** Recovers or waits for what other processes have announced before changes of refs; set where recovery is registered. */
  recoverPreceding(holder: Pick<Holder, 'type' | 'id'>, updates: readonly RefChange[]): Promise<void>;
  /** Whether a merge request has the approvals that it needs; set by the area that keeps them. */
  isApproved(db: Db, mergeRequest: MergeRequest): Promise<boolean>;
  /** Makes a personal access token for a user; set by the area that keeps them. @throws ApiError 400, 403 */
  createPersonalToken(user: User, request: NewPersonalToken): Promise<PersonalToken>;
  /** Counts single actions that are limited in number. */
  limiter: ActionLimiter;
  /** Counts expensive requests that are under way. */
  expensive: ConcurrencyLimiter;
  /** Bytes of memory that large bodies and answers may take together. */
  memory: FairSlots;
  /** How much of it streams may take: they last as long as a client likes, so that something is left for the rest. */
  streams: FairSlots;
  /** Where requests wait for something to happen: long polling. */
  longPolls: LongPolls;
  /** Checks passwords, few at once and with a limit of failures. */
  passwords: PasswordThrottle;
  /** Base of web and clone addresses, without a trailing slash. */
  externalUrl(): string;
  /** Address of a repository for git over SSH. @param path of it, with `.git` */
  sshUrl(path: string): string;
}
