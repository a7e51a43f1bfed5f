import type { RawTree } from '../yaml/reference.ts';

/** Values available to interpolation blocks, such as `inputs.name`. */
export type Contexts = Readonly<Record<string, ReadonlyMap<string, RawTree>>>;
