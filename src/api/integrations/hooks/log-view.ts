import { parseJson } from '../../../db/columns.ts';
import type { Deps } from '../../../deps.ts';
import type { LogWithPayload } from '../../../webhooks/logs.ts';
import { openRequest } from '../../../webhooks/stored-payload.ts';

const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d-]+(?:\.[a-z\d-]+)*$/i;
const REDACTED = '[REDACTED]';

/** Renders a delivery of a hook. */
export const presentLog = (deps: Deps, row: LogWithPayload) => ({
  id: row.id,
  url: row.url,
  trigger: row.trigger_name,
  request_headers: parseJson<Record<string, string>>(row.request_headers),
  request_data: withoutAddresses(parseJson(openRequest(deps, row) ?? '{}')),
  response_headers: parseJson<Record<string, string>>(row.response_headers),
  response_body: row.response_body,
  execution_duration: row.execution_duration,
  response_status: row.response_status,
  created_at: row.created_at,
});

/** Replaces email addresses in all strings of a value. */
function withoutAddresses(value: unknown): unknown {
  if (typeof value === 'string') return ADDRESS.test(value) ? REDACTED : value;
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutAddresses(inner)]));
}
