import type { Deps } from '../deps.ts';

/** Whether other processes may write to the repositories. */
export const hasForks = ({ config }: Deps): boolean => config.database.kind === 'postgres';
