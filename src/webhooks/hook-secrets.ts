import { parseJson } from '../db/columns.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';

/** A named value: of a variable in the address, or of a header. */
export interface NamedValue {
  key: string;
  value: string;
}

/** What is kept of a hook that nobody may read in the database: its address, too, for many hold a password. */
export interface HookSecrets {
  /** Names of variables in braces. */
  url: string;
  token: string | null;
  /** `whsec_` and the key in base64. */
  signingToken: string | null;
  variables: readonly NamedValue[];
  headers: readonly NamedValue[];
}

const PURPOSE = 'web_hooks.secrets';
/** Stands for what cannot be read, as when the key of the installation was lost: all of it has to be given again. */
const LOST: HookSecrets = { url: '', token: null, signingToken: null, variables: [], headers: [] };

export const sealSecrets = ({ secrets }: Pick<Deps, 'secrets'>, hook: HookSecrets): string =>
  secrets.seal(JSON.stringify(hook), PURPOSE);

/** What was opened, for as long as the row is at hand. */
const opened = new WeakMap<object, HookSecrets>();

/** The secrets of a hook; an empty address where they cannot be read. */
export function openSecrets({ secrets }: Pick<Deps, 'secrets'>, hook: Pick<WebHook, 'secrets'>): HookSecrets {
  const known = opened.get(hook);
  if (known !== undefined) return known;
  const text = secrets.open(hook.secrets, PURPOSE);
  const found = text === null ? LOST : parseJson<HookSecrets>(text);
  opened.set(hook, found);
  return found;
}
