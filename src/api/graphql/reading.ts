import { fetchConnection, type PageArguments } from './graphql.connection.ts';
import type { Json, Rest } from './rest.ts';

export type Arguments = Record<string, unknown>;
/** Resolves one field of an object. */
export type Resolve = (source: Json, args: Arguments, rest: Rest) => unknown;

/** Encodes a path segment. */
export const id = encodeURIComponent;
/** The value if it is an array, else an empty one. */
export const rows = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
export const upperCase = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : null);
/** The number in a global id, or the text itself. */
export const localId = (value: unknown): string => String(value).split('/').at(-1)!;

/** Translates an order such as `CREATED_DESC` to parameters of the REST API. */
export function orderOf(sort: unknown): { order_by?: string; sort?: string } {
  const match = /^(\w+?)_(asc|desc)$/i.exec(String(sort ?? ''));
  if (match === null) return {};
  const [, field = '', direction = ''] = match;
  const name = field.toLowerCase();
  const orders: Record<string, string> = {
    created: 'created_at',
    updated: 'updated_at',
    merged: 'merged_at',
    due_date: 'due_date',
  };
  return { order_by: orders[name] ?? name, sort: direction.toLowerCase() };
}

/** Resolves a list of the REST API as a connection. */
export const list =
  (
    path: (source: Json) => string,
    query: (args: Arguments, source: Json) => Record<string, unknown> = () => ({}),
  ): Resolve =>
  (source, args, rest) =>
    fetchConnection(rest, path(source), query(args, source) as Parameters<Rest['page']>[1], args as PageArguments);

/** Query parameters that filter and sort issues. */
export const issueQuery = (args: Arguments) => ({
  with_labels_details: true,
  iids: args.iids,
  state: args.state,
  search: args.search,
  author_username: args.authorUsername,
  assignee_username: args.assigneeUsername === undefined ? undefined : [args.assigneeUsername],
  labels: rows(args.labelName).length > 0 ? (args.labelName as string[]).join(',') : undefined,
  milestone: Array.isArray(args.milestoneTitle) ? args.milestoneTitle[0] : args.milestoneTitle,
  ...orderOf(args.sort),
});
