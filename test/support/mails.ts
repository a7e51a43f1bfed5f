import { buildTestApp, type TestApp, TestClock } from './app.ts';
import type { TestUser } from './factories.ts';
import { type ReceivedMail, SmtpReceiver } from './smtp-receiver.ts';

/** An app with a mail server that keeps what it is sent. */
export class MailedApp {
  readonly app: TestApp;
  readonly clock: TestClock;
  readonly receiver: SmtpReceiver;

  private constructor(app: TestApp, clock: TestClock, receiver: SmtpReceiver) {
    this.app = app;
    this.clock = clock;
    this.receiver = receiver;
  }

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<MailedApp> {
    const receiver = await SmtpReceiver.listen();
    const clock = new TestClock();
    const app = await buildTestApp({
      settings: { STITHY_SMTP_URL: receiver.url, STITHY_EXTERNAL_URL: 'https://forge.example.com', ...settings },
      clock,
    });
    return new MailedApp(app, clock, receiver);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.receiver.close();
  }

  /** What was sent of what somebody does, once all that follows is done. */
  async sentBy(work: () => Promise<unknown>): Promise<ReceivedMail[]> {
    await this.app.drain();
    this.receiver.mails.length = 0;
    await work();
    await this.app.drain();
    return [...this.receiver.mails];
  }

  /** What is sent on the next day, also of work that recurs. */
  async nextDay(): Promise<ReceivedMail[]> {
    await this.app.deps.jobs.maintain();
    return this.sentBy(async () => this.clock.advance(86_400_000));
  }

  /** Says how much somebody wants to be mailed of: everywhere, or in a group or project. */
  async setLevel(
    user: TestUser,
    level: string,
    place = '',
    events: Readonly<Record<string, boolean>> = {},
  ): Promise<void> {
    const path = `${place}/notification_settings`;
    const { statusCode, body } = await this.app.put(path, { token: user.token, json: { level, ...events } });
    if (statusCode !== 200) throw new Error(body);
  }
}

/** To whom mails went, sorted. */
export const addressees = (mails: readonly ReceivedMail[]): string[] => mails.flatMap(({ to }) => to).sort();

/** The addresses of users, sorted. */
export const addresses = (...users: readonly TestUser[]): string[] => users.map(({ user }) => user.email).sort();

/** The one mail to a user. */
export function mailTo(mails: readonly ReceivedMail[], { user }: TestUser): ReceivedMail {
  const own = mails.filter(({ to }) => to.includes(user.email));
  if (own.length !== 1) throw new Error(`${own.length} mails to ${user.username} instead of one`);
  return own[0]!;
}
