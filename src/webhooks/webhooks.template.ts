/** A template cannot be filled; the text says why. */
export class BadTemplate extends Error {
  override name = 'BadTemplate';
}

const PLACE = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Fills the places `{{a.b}}` of a template with values of the payload: as JSON, a text without its quotes, and `null` for
 * what is not there.
 * @throws BadTemplate where a place leads into a list, or what comes out is no JSON
 */
export function fillTemplate(template: string, payload: unknown): string {
  const filled = template.replace(PLACE, (_, path: string) => {
    let value: unknown = payload;
    for (const key of path.split('.')) {
      if (Array.isArray(value)) {
        throw new BadTemplate(
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
    throw new BadTemplate('Error while parsing rendered custom webhook template: it is no valid JSON.');
  }
  return filled;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
