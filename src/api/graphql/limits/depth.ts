import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';

/** Fields inside each other. */
const MAX_DEPTH = 20;
/** Fields, with those of a fragment counted wherever it is spread, of all operations of a document. */
const MAX_FIELDS = 1_000;
/** Lists of introspection that lead from a type to others: within each other they would tell the schema many times over. */
const TYPE_LISTS = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes']);

interface Extent {
  depth: number;
  fields: number;
  /** Lists of introspection inside each other. */
  introspected: number;
}

const EMPTY: Extent = { depth: 0, fields: 0, introspected: 0 };

/**
 * Looks at how deep and how large a document is with its fragments spread out, in time that grows with its text alone. Fragments
 * that spread themselves count as far as they were seen: validation refuses them.
 * @throws GraphQLError where it is more than may be asked
 */
export function checkDepth({ definitions }: DocumentNode): void {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  }
  const known = new Map<string, Extent>();

  function measureFragment(name: string): Extent {
    const found = known.get(name);
    if (found !== undefined) return found;
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
      // A spread or an inline fragment counts itself, too: without a field in it, it is work all the same.
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
      throw new GraphQLError('Maximum introspection depth exceeded: ask for the fields of one type at a time');
    }
  }
  if (fields > MAX_FIELDS) {
    throw new GraphQLError(`Query has ${fields} fields, which exceeds max fields of ${MAX_FIELDS}: split it`);
  }
}
