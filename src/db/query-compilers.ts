import {
  type BinaryOperationNode,
  ColumnNode,
  type LimitNode,
  OperatorNode,
  PostgresDialect,
  PostgresQueryCompiler,
  ReferenceNode,
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

/** Columns by whose value partial indexes choose their rows (`create index ... where state = 'opened'`). */
const CHOOSING: ReadonlySet<string> = new Set(['active', 'locked', 'package_type', 'recurring', 'state', 'status']);
const WORD = /^[a-z_]{1,40}$/;

const isWord = (value: unknown): boolean =>
  value === 0 || value === 1 || (typeof value === 'string' && WORD.test(value));

/** Whether it compares a column of partial indexes with one of the few words that are written there. */
function choosesIndex({ leftOperand, operator, rightOperand }: BinaryOperationNode): boolean {
  return (
    OperatorNode.is(operator) &&
    operator.operator === '=' &&
    ReferenceNode.is(leftOperand) &&
    ColumnNode.is(leftOperand.column) &&
    CHOOSING.has(leftOperand.column.column.name) &&
    ValueNode.is(rightOperand) &&
    isWord(rightOperand.value)
  );
}

/**
 * The same text as on PostgreSQL, but for what SQLite's plan depends on: it compiles a statement again whenever such a value is given
 * as a parameter, which takes longer than most answers.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) super.visitLimit(node);
    else this.append(`limit ${limit.value}`);
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const outcome = emptyList(node);
    if (outcome !== undefined) {
      this.append(outcome);
    } else if (choosesIndex(node)) {
      const word = ValueNode.createImmediate((node.rightOperand as ValueNode).value);
      super.visitBinaryOperation({ ...node, rightOperand: word });
    } else {
      super.visitBinaryOperation(node);
    }
  }
}
