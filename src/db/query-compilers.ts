import {
  type BinaryOperationNode,
  type LimitNode,
  PostgresDialect,
  PostgresQueryCompiler,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/** Outcome of `in ()` and `not in ()`; undefined for all other operations. */
function emptyList({ operator, rightOperand }: BinaryOperationNode): '1 = 0' | '1 = 1' | undefined {
  if (operator.kind !== 'OperatorNode') return undefined;
  const name = (operator as { operator?: string }).operator;
  if (name !== 'in' && name !== 'not in') return undefined;
  const { kind, values } = rightOperand as { kind: string; values?: readonly unknown[] };
  if ((kind !== 'PrimitiveValueListNode' && kind !== 'ValueListNode') || values?.length !== 0) return undefined;
  return name === 'in' ? '1 = 0' : '1 = 1';
}

/** Nothing is in an empty list, which PostgreSQL refuses to read. */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const outcome = emptyList(node);
    if (outcome === undefined) super.visitBinaryOperation(node);
    else this.append(outcome);
  }
}

/** PostgreSQL by way of the compiler above. */
export class Postgres extends PostgresDialect {
  override createQueryCompiler() {
    return new PostgresCompiler();
  }
}

/** The same text as on PostgreSQL, but for limits. */
export class SqliteCompiler extends SqliteQueryCompiler {
  /** As a number in the text: SQLite compiles a statement again whenever its limit is given as a parameter, for its plan depends on it. */
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) super.visitLimit(node);
    else this.append(`limit ${limit.value}`);
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const outcome = emptyList(node);
    if (outcome === undefined) super.visitBinaryOperation(node);
    else this.append(outcome);
  }
}
