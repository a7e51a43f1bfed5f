import { truncate } from '../core/truncate.ts';
import { bareAddress, withoutUrlCredentials } from '../core/url-credentials.ts';
import type { AuditEventName } from './names.audit.ts';
import type { AuditEntry } from './record.audit.ts';

interface WatchedAs {
  name: AuditEventName;
  as: string;
  /** A column of 0 and 1 that stands for false and true. */
  flag?: true;
  /** An address that may hold secrets: told without user, password and query. */
  address?: true;
}

/** What is watched of an object: by its attribute the name of the event, and what the attribute is called in a sentence. */
export type WatchedAttributes<T> = { readonly [K in keyof T]?: WatchedAs };

const MAX_VALUE = 255;

/** A value as it is told: texts and numbers as they are, lists and objects as JSON, nothing for null. */
const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const entry = (text: string): string => truncate(withoutUrlCredentials(text), MAX_VALUE);

/** What is told of each watched attribute that is another than it was. Nothing that is secret may be watched. */
export function changesOf<T extends object>(
  before: T,
  after: T,
  watched: WatchedAttributes<T>,
): Pick<AuditEntry, 'name' | 'message' | 'more'>[] {
  return (Object.keys(watched) as (keyof T & string)[]).flatMap((key) => {
    const { name, as, flag, address } = watched[key]!;
    const read = (value: unknown) => textOf(flag ? value === 1 : value);
    const [old, now] = [read(before[key]), read(after[key])];
    if (old === now) return [];
    const [from, to] = address ? [bareAddress(old), bareAddress(now)] : [entry(old), entry(now)];
    const message = address && from === to ? `Changed the credentials of ${as}` : `Changed ${as} from ${from} to ${to}`;
    return { name, message, more: { change: as, from, to } };
  });
}
