import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument, OperationObject } from '../../src/http/openapi/openapi.document.ts';

/** One endpoint that the specification names. */
export interface Endpoint {
  section: string;
  method: string;
  path: string;
  status: string;
  parameters: { name: string; required: boolean }[];
}

interface Parameter {
  name: string;
  required?: boolean;
}
interface Body {
  $ref?: string;
  properties?: Record<string, unknown>;
  required?: string[];
}

/** The endpoints of the specification, out of `test/fixtures/endpoints.tsv`. */
export function readEndpoints(): Endpoint[] {
  const text = readFileSync(join(import.meta.dirname, '../fixtures/endpoints.tsv'), 'utf8');
  const [, ...lines] = text.trimEnd().split('\n');
  return lines.map((line) => {
    const [section = '', method = '', path = '', status = '', names = ''] = line.split('\t');
    const parameters = names.split(',').filter(Boolean);
    return {
      section,
      method,
      path,
      status,
      parameters: parameters.map((name) => ({ name: name.replace('*', ''), required: name.endsWith('*') })),
    };
  });
}

const nameless = (path: string): string => path.replace(/\{\w+\}/g, '{}');

/** Parameters of an operation, wherever they are sent, by name; those that say who asks, too. */
function parametersOf(document: OpenApiDocument, operation: OperationObject): Map<string, boolean> {
  const parameters = new Map<string, boolean>();
  for (const { name, required = false } of operation.parameters as Parameter[]) {
    parameters.set(name.replace(/\[\]$/, ''), required);
  }
  const schemes = document.components.securitySchemes as Record<string, { in?: string; name?: string }>;
  for (const way of operation.security as object[]) {
    for (const name of Object.keys(way)) if (schemes[name]?.in === 'query') parameters.set(schemes[name].name!, false);
  }
  const body = operation.requestBody as { content: Record<string, { schema: Body }> } | undefined;
  const bodySchema = body?.content['application/json']?.schema;
  const schema: Body | undefined =
    bodySchema?.$ref === undefined
      ? bodySchema
      : (document.components.schemas[bodySchema.$ref.split('/').at(-1)!] as Body);
  for (const name of Object.keys(schema?.properties ?? {}))
    parameters.set(name, schema?.required?.includes(name) === true);
  return parameters;
}

/** What the document lacks of an endpoint, in words. */
export function missing(document: OpenApiDocument, endpoint: Endpoint): string[] {
  const path = Object.keys(document.paths).find(
    (each) => nameless(each.replace(/^\/api\/v4/, '')) === nameless(endpoint.path),
  );
  const operation = path === undefined ? undefined : document.paths[path]![endpoint.method.toLowerCase()];
  if (operation === undefined) return ['is not there'];
  const parameters = parametersOf(document, operation);
  const problems = endpoint.parameters.flatMap(({ name, required }) => {
    if (!parameters.has(name)) return [`lacks the parameter ${name}`];
    return parameters.get(name) === required
      ? []
      : [`${required ? 'does not require' : 'requires'} the parameter ${name}`];
  });
  const statuses = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
  return statuses.includes(endpoint.status)
    ? problems
    : [...problems, `answers with ${statuses.join(', ')} instead of ${endpoint.status}`];
}
