import { truncate } from '../core/truncate.ts';
import { bareAddress, withoutUrlCredentials } from '../core/url-credentials.ts';
import type { AuditEventName } from './names.audit.ts';
import type { AuditEntry } from './record.audit.ts';

interface WatchedAs {
  name: AuditEventName;
  as: string;
  /** A boolean column stored as 0 and 1. */
  flag?: true;
  /** A URL that may hold secrets: recorded without user, password and query. */
  address?: true;
}

/** Audited attributes of an object: event name and label by attribute. */
export type WatchedAttributes<T> = { readonly [K in keyof T]?: WatchedAs };

const MAX_VALUE = 255;

/** A value as recorded: texts and numbers unchanged, lists and objects as JSON, an empty text for null. */
const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const entry = (text: string): string => truncate(withoutUrlCredentials(text), MAX_VALUE);

/** Audit entries for the attributes that differ. Secret attributes must not be audited. */
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
