import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';

/** Maximum nesting of fields. */
const MAX_DEPTH = 20;
/** Maximum number of fields in all operations of a document; each spread of a fragment counts its fields again. */
const MAX_FIELDS = 1_000;
/** Introspection lists that lead from a type to others: nested, they multiply the size of the schema. */
const TYPE_LISTS = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes']);

interface Extent {
  depth: number;
  fields: number;
  /** Nesting of introspection lists. */
  introspected: number;
}

const EMPTY: Extent = { depth: 0, fields: 0, introspected: 0 };

/**
 * Checks depth and size of a document with all fragments expanded, in time linear in its text. Recursive fragments
 * count only once: validation refuses them.
 * @throws GraphQLError if it exceeds a limit
 */
export function checkDepth({ definitions }: DocumentNode): void {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  }
  const known = new Map<string, Extent>();

  function measureFragment(name: string): Extent {
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    known.set(name, EMPTY);
    const set = fragments.get(name);
    const extent = set === undefined ? EMPTY : measure(set);
    known.set(name, extent);
    return extent;
  }

  function measure({ selections }: SelectionSetNode): Extent {
    const sum: Extent = { ...EMPTY };
    for (const each of selections) {
      const isField = each.kind === Kind.FIELD;
      const inner =
        each.kind === Kind.FRAGMENT_SPREAD
          ? measureFragment(each.name.value)
          : each.selectionSet === undefined
            ? EMPTY
            : measure(each.selectionSet);
      const isList = isField && TYPE_LISTS.has(each.name.value);
      sum.depth = Math.max(sum.depth, inner.depth + (isField ? 1 : 0));
      // A fragment spread counts as well: it costs work even without fields.
      sum.fields += inner.fields + 1;
      sum.introspected = Math.max(sum.introspected, inner.introspected + (isList ? 1 : 0));
    }
    return sum;
  }

  let fields = 0;
  for (const each of definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue;
    const extent = measure(each.selectionSet);
    fields += extent.fields;
    if (extent.depth > MAX_DEPTH) {
      throw new GraphQLError(`Query has depth of ${extent.depth}, which exceeds max depth of ${MAX_DEPTH}`);
    }
    if (extent.introspected > 1) {
      throw new GraphQLError('Maximum introspection depth exceeded: query the fields of one type at a time');
    }
  }
  if (fields > MAX_FIELDS) {
    throw new GraphQLError(
      `Query has ${fields} fields, which exceeds max fields of ${MAX_FIELDS}. Split it into smaller queries.`,
    );
  }
}
