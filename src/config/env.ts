import { isIP } from 'node:net';
import { StartupError } from '../core/startup-error.ts';

const SSH_ENDPOINT =
  /^ssh:\/\/(?:git@)?([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?\/?$/;

/** An invalid variable; the message names it and says what to write instead. */
export class ConfigError extends StartupError {
  override name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads typed values from the environment; each method throws ConfigError naming the variable. */
export class EnvironmentReader {
  readonly #env: Environment;
  readonly #known = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  string(name: string, fallback: string): string;
  string(name: string, fallback: null): string | null;
  string(name: string, fallback: string | null): string | null {
    this.#known.add(name);
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? fallback : value;
  }

  integer(name: string, fallback: number, range: { min: number; max: number }): number {
    const text = this.string(name, null);
    if (text === null) return fallback;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < range.min || value > range.max) {
      throw new ConfigError(`${name} must be an integer from ${range.min} to ${range.max}, not "${text}".`);
    }
    return value;
  }

  /** Like `integer`, but null if the variable is not set. */
  maybeInteger(name: string, range: { min: number; max: number }): number | null {
    return this.string(name, null) === null ? null : this.integer(name, 0, range);
  }

  boolean(name: string, fallback: boolean): boolean {
    const text = this.string(name, null)?.toLowerCase();
    if (text === undefined) return fallback;
    if (['true', '1', 'yes', 'on'].includes(text)) return true;
    if (['false', '0', 'no', 'off'].includes(text)) return false;
    throw new ConfigError(`${name} must be true or false, not "${text}".`);
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.string(name, fallback);
    const known = values.find((value) => value === text);
    if (known === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${text}".`);
    return known;
  }

  url(name: string, fallback: null): URL | null {
    const text = this.string(name, fallback);
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
      throw new ConfigError(`${name} must be an http:// or https:// address without a user, not "${text}".`);
    }
    return url;
  }

  /**
   * URL of a mail server: `smtp://` (with STARTTLS if the server supports it) or `smtps://`, optionally with a user.
   */
  smtpUrl(name: string): string | null {
    const text = this.string(name, null);
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
      throw new ConfigError(`${name} must be an address such as smtp://user:password@mail.example.com:587.`);
    }
    return text;
  }

  /** Address for SSH clients, such as `ssh://git.example.com:2222`; the default port is 22. */
  sshEndpoint(name: string): { host: string; port: number } | null {
    const text = this.string(name, null);
    if (text === null) return null;
    const [, host, port = '22'] = SSH_ENDPOINT.exec(text) ?? [];
    const address = host?.startsWith('[') ? isIP(host.slice(1, -1)) === 6 : true;
    if (host === undefined || !address || Number(port) < 1 || Number(port) > 65_535) {
      throw new ConfigError(`${name} must be an address such as ssh://git.example.com:2222, not "${text}".`);
    }
    return { host, port: Number(port) };
  }

  /** Addresses or networks separated by commas. */
  addresses(name: string): string[] {
    const list = (this.string(name, '') as string).split(',').flatMap((part) => part.trim() || []);
    for (const item of list) {
      const [address = '', prefix, ...rest] = item.split('/');
      const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
      const good = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
      if (bits < 0 || !good || rest.length > 0) {
        throw new ConfigError(
          `${name} contains "${item}", which is neither an IP address nor a network such as 10.0.0.0/8.`,
        );
      }
    }
    return list;
  }

  /** Variables with the prefix that were never read: probably misspelled. */
  unknown(prefix: string): string[] {
    return Object.keys(this.#env).filter((name) => name.startsWith(prefix) && !this.#known.has(name));
  }
}
