import type { Deps } from '../deps.ts';
import { chainInterceptors, type Interceptor } from '../http/interceptor.ts';
import { BenchRequest, BenchResponse } from './bench-messages.ts';
import { BenchClock } from './clock/bench-clock.ts';
import { loadClock } from './clock/clock.store.ts';
import { captureCalls, deliveryRecord } from './deliveries/delivery-record.ts';
import { faultInterceptor } from './faults/fault-interceptor.ts';
import { Faults } from './faults/faults.ts';
import { outgoingFaults } from './faults/outgoing-faults.ts';
import { BenchJobs } from './jobs/bench-jobs.ts';
import { mailRecord } from './mails/mail-record.ts';
import { RequestRecorder } from './requests/request-recorder.ts';
import { Snapshots } from './snapshots/snapshots.ts';

const benches = new WeakMap<Deps, TestBench>();

/** The test bench of one instance, assembled of its parts. */
export class TestBench {
  readonly clock: BenchClock;
  readonly faults = new Faults();
  readonly requests: RequestRecorder;
  readonly snapshots: Snapshots;
  readonly jobs: BenchJobs;
  /** Sees every request before the server does. */
  readonly interceptor: Interceptor;
  /** What it sees. */
  readonly messages = { IncomingMessage: BenchRequest, ServerResponse: BenchResponse };
  readonly #deps: Deps;

  /** @param deps of an instance whose clock is a `BenchClock` */
  constructor(deps: Deps) {
    if (!(deps.clock instanceof BenchClock)) throw new Error('an instance with a test bench needs a BenchClock');
    this.#deps = deps;
    this.clock = deps.clock;
    this.requests = new RequestRecorder(deps);
    this.jobs = new BenchJobs(deps);
    deps.outgoing.add(deliveryRecord(deps));
    deps.outgoing.add(outgoingFaults(this.faults));
    if (deps.config.bench?.outbound === 'capture') deps.outgoing.add(captureCalls);
    deps.mailer.observe(mailRecord(deps));
    this.snapshots = new Snapshots(deps, () => this.load());
    const faults = faultInterceptor(deps, this.faults);
    this.interceptor = chainInterceptors<BenchRequest, BenchResponse>([
      this.snapshots.gate.pass,
      this.requests.interceptor,
      faults,
    ]) as Interceptor;
    benches.set(deps, this);
  }

  /**
   * Takes over what the database says of the test bench: the time. Before the first request, and after each restore.
   */
  async load(): Promise<void> {
    await loadClock(this.#deps.db, this.clock);
  }
}

/** The test bench of an instance; null if it has none. */
export const findBench = (deps: Deps): TestBench | null => benches.get(deps) ?? null;

/** The test bench of an instance that has one. */
export function benchOf(deps: Deps): TestBench {
  const bench = findBench(deps);
  if (bench === null) throw new Error('the instance has no test bench');
  return bench;
}
