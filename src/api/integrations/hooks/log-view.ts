import { parseJson } from '../../../db/columns.ts';
import type { Deps } from '../../../deps.ts';
import type { LogWithPayload } from '../../../webhooks/logs.ts';
import { openRequest } from '../../../webhooks/stored-payload.ts';

const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d-]+(?:\.[a-z\d-]+)*$/i;
const REDACTED = '[REDACTED]';

/** A call of a hook as the API shows it. */
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

/** The same value; texts that are e-mail addresses are replaced. */
function withoutAddresses(value: unknown): unknown {
  if (typeof value === 'string') return ADDRESS.test(value) ? REDACTED : value;
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutAddresses(inner)]));
}
