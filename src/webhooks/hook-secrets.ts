import { parseJson } from '../db/columns.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';

/** A named value of a URL variable or a header. */
export interface NamedValue {
  key: string;
  value: string;
}

/** Encrypted attributes of a hook, including its URL, which may contain a password. */
export interface HookSecrets {
  /** URL template, with names of variables in braces. */
  url: string;
  token: string | null;
  /** `whsec_` followed by the key in Base64. */
  signingToken: string | null;
  variables: readonly NamedValue[];
  headers: readonly NamedValue[];
}

const PURPOSE = 'web_hooks.secrets';
/**
 * Stands for secrets that cannot be decrypted, for example after the loss of the installation's key: they must be set
 * again.
 */
const LOST: HookSecrets = { url: '', token: null, signingToken: null, variables: [], headers: [] };

export const sealSecrets = ({ secrets }: Pick<Deps, 'secrets'>, hook: HookSecrets): string =>
  secrets.seal(JSON.stringify(hook), PURPOSE);

/** Decrypted secrets by row, for as long as the row is referenced. */
const opened = new WeakMap<object, HookSecrets>();

/** Decrypts the secrets of a hook; with an empty URL if that fails. */
export function openSecrets({ secrets }: Pick<Deps, 'secrets'>, hook: Pick<WebHook, 'secrets'>): HookSecrets {
  const known = opened.get(hook);
  if (known !== undefined) return known;
  const text = secrets.open(hook.secrets, PURPOSE);
  const decrypted = text === null ? LOST : parseJson<HookSecrets>(text);
  opened.set(hook, decrypted);
  return decrypted;
}
