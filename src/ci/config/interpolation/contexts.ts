import type { RawTree } from '../yaml/reference.ts';

/** What blocks may speak of, as `inputs.name`. */
export type Contexts = Readonly<Record<string, ReadonlyMap<string, RawTree>>>;
