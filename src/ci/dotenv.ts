/** Limits of a dotenv report. */
export interface DotenvLimits {
  bytes: number;
  variables: number;
}

const MAX_KEY = 255;

const WRONG_KEY = "Validation failed: Key can contain only letters, digits and '_'.";
const LONG_KEY = `Validation failed: Key is too long (maximum is ${MAX_KEY} characters)`;

/** Why a dotenv report is refused, for its author. */
export class DotenvError extends Error {
  override name = 'DotenvError';
}

export const dotenvTooBig = ({ bytes }: DotenvLimits) =>
  new DotenvError(`Dotenv Artifact Too Big. Maximum Allowable Size: ${bytes}`);

function decode(bytes: Buffer): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new DotenvError('Invalid Format');
  }
}

/**
 * Parses an `artifacts:reports:dotenv` file: one `KEY=VALUE` per line. Quotes are part of the value; the last of
 * duplicate keys counts.
 * @throws DotenvError for too many bytes or variables, and for an invalid line
 */
export function parseDotenv(bytes: Buffer, limits: DotenvLimits): Map<string, string> {
  if (bytes.length > limits.bytes) throw dotenvTooBig(limits);
  const lines = decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const variables = new Map<string, string>();
  for (const line of lines) {
    const equals = line.indexOf('=');
    if (equals === -1 || line.includes('\0')) throw new DotenvError('Invalid Format');
    const key = line.slice(0, equals).trim();
    if (!/^\w+$/.test(key)) throw new DotenvError(WRONG_KEY);
    if (key.length > MAX_KEY) throw new DotenvError(LONG_KEY);
    variables.set(key, line.slice(equals + 1).trim());
  }
  if (variables.size > limits.variables) {
    throw new DotenvError(`Dotenv files cannot have more than ${limits.variables} variables`);
  }
  return variables;
}
