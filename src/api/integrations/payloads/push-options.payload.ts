/** Options that may be given several times; payloads count their values. */
const SEVERAL = new Set([
  'merge_request.label',
  'merge_request.unlabel',
  'merge_request.assign',
  'merge_request.unassign',
  'ci.variable',
  'ci.input',
]);
const AREAS = ['merge_request', 'ci', 'integrations', 'secret_detection', 'security_policy'];

type Value = string | true | Record<string, number>;

/**
 * Renders push options: `ci.skip` becomes `{"ci": {"skip": true}}`. Options outside of known namespaces are left out.
 */
export function pushOptionsPayload(input: readonly string[]): Record<string, Record<string, Value>> {
  const payload: Record<string, Record<string, Value>> = {};
  for (const option of input) {
    const [, short, name, value] = /^\s*([a-z_]+)\.([a-z_]+)(?:=(.*))?$/s.exec(option) ?? [];
    const area = short === 'mr' ? 'merge_request' : short;
    if (area === undefined || name === undefined || !AREAS.includes(area)) continue;
    const options = payload[area] ?? {};
    payload[area] = options;
    if (value === undefined || !SEVERAL.has(`${area}.${name}`)) {
      options[name] = value ?? true;
    } else {
      const before = options[name];
      const counts = typeof before === 'object' ? before : {};
      options[name] = { ...counts, [value]: (counts[value] ?? 0) + 1 };
    }
  }
  return payload;
}
