const suffixOf = (id: number) => `-deletion_scheduled-${id}`;

/** What the name or path of a group or project becomes when it is marked for deletion, so that both are free again. */
export const withDeletionSuffix = (name: string, id: number): string => `${name}${suffixOf(id)}`;

/** The name or path that it had before. */
export const withoutDeletionSuffix = (name: string, id: number): string =>
  name.endsWith(suffixOf(id)) ? name.slice(0, -suffixOf(id).length) : name;
