/**
 * A kind of packages: all that the rest of the server knows of it. The kinds are listed in
 * `src/api/packages/package-kinds.ts`.
 */
export interface PackageKind {
  /** Its name in the API and in the database. */
  readonly type: string;
  /** Plan limit of a file: its name, the default in bytes, and what it limits. Without one `MAX_ARCHIVE` applies. */
  readonly limit?: { readonly name: string; readonly bytes: number; readonly of: string };
  /** Normalizes a name: names with the same key are one package. Without it names are compared as they are. */
  readonly nameKey?: (name: string) => string;
  /** How protection rules protect its packages; without it they do not. */
  readonly protection?: {
    /** What patterns of names must match, and what the names are called when it is refused. */
    readonly patterns?: readonly [RegExp, string];
    /** A part of the name that rules match as well. */
    readonly part?: (name: string) => string;
  };
}

/** All kinds by their types. */
export type PackageKinds = ReadonlyMap<string, PackageKind>;

/** @throws Error for a type that is not listed */
export function kindOf(kinds: PackageKinds, type: string): PackageKind {
  const kind = kinds.get(type);
  if (kind === undefined) throw new Error(`no kind of packages is called ${type}`);
  return kind;
}

/** The normalized name of a package. */
export const nameKeyOf = ({ nameKey }: PackageKind, name: string): string => nameKey?.(name) ?? name;
