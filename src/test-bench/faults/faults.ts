import { ApiError } from '../../core/core.errors.ts';
import { matchesWildcard } from '../../core/wildcard.ts';
import { type FaultAct, type FaultMatch, readFaultRule } from './fault-rule.ts';

/** Largest number of rules. */
const MAX_RULES = 1_000;

/** A rule with its number, and how often it has acted. */
export interface Fault {
  readonly id: number;
  readonly match: FaultMatch;
  readonly act: FaultAct;
  readonly hits: number;
}

/** What rules for requests look at. */
export interface RequestFacts {
  method: string;
  /** As sent, without the query. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What rules for outgoing calls look at. */
export interface CallFacts {
  kind: NonNullable<FaultMatch['outgoing']>;
  method: string;
  url: string;
}

const ANYTHING = () => true;
const pattern = (wanted: string | undefined) =>
  wanted === undefined ? ANYTHING : (text: string) => matchesWildcard(wanted, text);

class Rule implements Fault {
  readonly id: number;
  readonly match: FaultMatch;
  readonly act: FaultAct;
  hits = 0;
  removed = false;
  readonly user: string | undefined;
  readonly #method: string | undefined;
  readonly #path: (text: string) => boolean;
  readonly #url: (text: string) => boolean;
  readonly #headers: readonly (readonly [string, (text: string) => boolean])[];

  constructor(id: number, match: FaultMatch, act: FaultAct) {
    this.id = id;
    this.match = match;
    this.act = act;
    this.user = match.user?.toLowerCase();
    this.#method = match.method?.toUpperCase();
    this.#path = pattern(match.path);
    this.#url = pattern(match.url);
    this.#headers = Object.entries(match.header ?? {}).map(([name, value]) => [name.toLowerCase(), pattern(value)]);
  }

  /** Whether it is for a request, the user aside. */
  fits({ method, path, headers }: RequestFacts): boolean {
    if (this.match.outgoing !== undefined || !this.#isLeft()) return false;
    if (this.#method !== undefined && this.#method !== method) return false;
    return this.#path(path) && this.#headers.every(([name, test]) => hasHeader(headers[name], test));
  }

  fitsCall({ kind, method, url }: CallFacts): boolean {
    if (this.match.outgoing !== kind || !this.#isLeft()) return false;
    return (this.#method === undefined || this.#method === method) && this.#url(url);
  }

  /** Counts a try. @returns whether the rule acts on it */
  take(): boolean {
    const { probability = 1 } = this.match;
    if (!this.#isLeft() || Math.random() >= probability) return false;
    this.hits += 1;
    return true;
  }

  #isLeft(): boolean {
    return !this.removed && this.hits < (this.match.count ?? Number.POSITIVE_INFINITY);
  }
}

const hasHeader = (sent: string | string[] | undefined, test: (text: string) => boolean): boolean =>
  [sent ?? []].flat().some(test);

const present = ({ id, match, act, hits }: Fault): Fault => ({ id, match, act, hits });

/** The faults that were ordered of one instance. In memory: neither snapshots nor restarts keep them. */
export class Faults {
  #rules: readonly Rule[] = [];
  #last = 0;

  /**
   * Orders a fault.
   * @param rule `{match, act}` as the API takes it
   * @throws ApiError 400 for what is not a rule, or one too many
   */
  add(rule: unknown): Fault {
    const { match, act } = readFaultRule(rule);
    if (this.#rules.length >= MAX_RULES) throw new ApiError(400, `there can be ${MAX_RULES} rules at most`);
    this.#last += 1;
    const added = new Rule(this.#last, match, act);
    this.#rules = [...this.#rules, added];
    return present(added);
  }

  /** All rules in their order. */
  list(): Fault[] {
    return this.#rules.map(present);
  }

  get(id: number): Fault | undefined {
    const rule = this.#rules.find((each) => each.id === id);
    return rule && present(rule);
  }

  /** @returns whether there was such a rule */
  remove(id: number): boolean {
    const rule = this.#rules.find((each) => each.id === id);
    if (rule === undefined) return false;
    rule.removed = true;
    this.#rules = this.#rules.filter((each) => each !== rule);
    return true;
  }

  clear(): void {
    for (const rule of this.#rules) rule.removed = true;
    this.#rules = [];
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /**
   * The first rule that acts on a request; it is counted.
   * @param userOf finds the username of the caller; called only if a rule needs it
   */
  forRequest(facts: RequestFacts, userOf: () => Promise<string | null>): FaultAct | null | Promise<FaultAct | null> {
    return search(this.#rules, 0, facts, userOf);
  }

  /** The first rule that acts on an outgoing call; it is counted. */
  forCall(facts: CallFacts): FaultAct | null {
    return this.#rules.find((rule) => rule.fitsCall(facts) && rule.take())?.act ?? null;
  }
}

/** @param user username of the caller in lower case; undefined if it is not looked up yet */
function search(
  rules: readonly Rule[],
  start: number,
  facts: RequestFacts,
  userOf: () => Promise<string | null>,
  user?: string | null,
): FaultAct | null | Promise<FaultAct | null> {
  for (let at = start; at < rules.length; at += 1) {
    const rule = rules[at]!;
    if (!rule.fits(facts)) continue;
    if (rule.user !== undefined && user === undefined)
      return userOf().then((found) => search(rules, at, facts, userOf, found?.toLowerCase() ?? null));
    if ((rule.user === undefined || rule.user === user) && rule.take()) return rule.act;
  }
  return null;
}
