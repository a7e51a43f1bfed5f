import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';

/** Fields inside each other. */
const MAX_DEPTH = 20;
/** Fields, with those of a fragment counted wherever it is spread, of all operations of a document. */
const MAX_FIELDS = 1_000;
/** Lists of introspection that lead from a type to others: within each other they would tell the schema many times over. */
const INTROSPECTED = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes']);

interface Shape {
  depth: number;
  fields: number;
  /** Lists of introspection inside each other. */
  introspected: number;
}

const NONE: Shape = { depth: 0, fields: 0, introspected: 0 };

/**
 * Looks at how deep and how large a document is with its fragments spread out, in time that grows with its text alone. Fragments
 * that spread themselves count as far as they were seen: validation refuses them.
 * @throws GraphQLError where it is more than may be asked
 */
export function checkShape({ definitions }: DocumentNode): void {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  }
  const known = new Map<string, Shape>();

  function ofFragment(name: string): Shape {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, NONE);
    const set = fragments.get(name);
    const shape = set === undefined ? NONE : of(set);
    known.set(name, shape);
    return shape;
  }

  function of({ selections }: SelectionSetNode): Shape {
    const sum: Shape = { ...NONE };
    for (const each of selections) {
      const isField = each.kind === Kind.FIELD;
      const inner =
        each.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(each.name.value)
          : each.selectionSet === undefined
            ? NONE
            : of(each.selectionSet);
      const isList = isField && INTROSPECTED.has(each.name.value);
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
    const shape = of(each.selectionSet);
    fields += shape.fields;
    if (shape.depth > MAX_DEPTH) {
      throw new GraphQLError(`Query has depth of ${shape.depth}, which exceeds max depth of ${MAX_DEPTH}`);
    }
    if (shape.introspected > 1) {
      throw new GraphQLError('Maximum introspection depth exceeded: ask for the fields of one type at a time');
    }
  }
  if (fields > MAX_FIELDS) {
    throw new GraphQLError(`Query has ${fields} fields, which exceeds max fields of ${MAX_FIELDS}: split it`);
  }
}
