const suffixOf = (id: number) => `-deletion_scheduled-${id}`;

/** Name or path of a group or project that is marked for deletion, so that the original is free again. */
export const withDeletionSuffix = (name: string, id: number): string => `${name}${suffixOf(id)}`;

/** The original name or path. */
export const withoutDeletionSuffix = (name: string, id: number): string =>
  name.endsWith(suffixOf(id)) ? name.slice(0, -suffixOf(id).length) : name;
