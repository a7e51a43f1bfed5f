/** A template that cannot be rendered; the message says why. */
export class InvalidTemplate extends Error {
  override name = 'InvalidTemplate';
}

const PLACE = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Fills the placeholders `{{a.b}}` of a template with values of the payload: as JSON, strings without quotes, and
 * `null` for missing ones.
 * @throws InvalidTemplate if a placeholder leads into a list, or if the result is not valid JSON
 */
export function fillTemplate(template: string, payload: unknown): string {
  const filled = template.replace(PLACE, (_, path: string) => {
    let value: unknown = payload;
    for (const key of path.split('.')) {
      if (Array.isArray(value)) {
        throw new InvalidTemplate(
          'Error while parsing rendered custom webhook template: ' +
            `You may be trying to access an array value, which is not supported (${path}).`,
        );
      }
      value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    const json = JSON.stringify(value ?? null);
    return typeof value === 'string' ? json.slice(1, -1) : json;
  });
  try {
    JSON.parse(filled);
  } catch {
    throw new InvalidTemplate('Error while parsing rendered custom webhook template: not valid JSON.');
  }
  return filled;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
