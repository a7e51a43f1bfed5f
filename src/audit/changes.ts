import type { AuditEventName } from './names.ts';
import type { AuditEntry } from './record.ts';

/** What is watched of an object: by its attribute the name of the event, and what the attribute is called in a sentence. */
export type Watched<T> = { readonly [K in keyof T]?: { name: AuditEventName; as: string } };

const MAX_VALUE = 255;

/** A value as it is told: texts and numbers as they are, lists and objects as JSON, nothing for null. */
export function told(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

/** What is told of each watched attribute that is another than it was. Nothing that is secret may be watched. */
export function changesOf<T extends object>(
  before: T,
  after: T,
  watched: Watched<T>,
): Pick<AuditEntry, 'name' | 'message' | 'more'>[] {
  return (Object.keys(watched) as (keyof T & string)[]).flatMap((key) => {
    const { name, as } = watched[key]!;
    const [from, to] = [told(before[key]), told(after[key])];
    return from === to ? [] : { name, message: `Changed ${as} from ${from} to ${to}`, more: { change: as, from, to } };
  });
}
