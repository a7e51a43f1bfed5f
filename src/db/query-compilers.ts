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

/** Constant result of `in ()` and `not in ()`; undefined for other operations. */
function emptyList({ operator, rightOperand }: BinaryOperationNode): '1 = 0' | '1 = 1' | undefined {
  if (operator.kind !== 'OperatorNode') return undefined;
  const name = (operator as { operator?: string }).operator;
  if (name !== 'in' && name !== 'not in') return undefined;
  const { kind, values } = rightOperand as { kind: string; values?: readonly unknown[] };
  if ((kind !== 'PrimitiveValueListNode' && kind !== 'ValueListNode') || values?.length !== 0) return undefined;
  return name === 'in' ? '1 = 0' : '1 = 1';
}

/** Replaces empty lists, which PostgreSQL refuses to parse. */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const outcome = emptyList(node);
    if (outcome === undefined) super.visitBinaryOperation(node);
    else this.append(outcome);
  }
}

/** PostgreSQL dialect with the compiler above. */
export class Postgres extends PostgresDialect {
  override createQueryCompiler() {
    return new PostgresCompiler();
  }
}

/** Columns in the conditions of partial indexes (`create index ... where state = 'opened'`). */
const CHOOSING: ReadonlySet<string> = new Set(['active', 'locked', 'package_type', 'recurring', 'state', 'status']);
const WORD = /^[a-z_]{1,40}$/;

const isWord = (value: unknown): boolean =>
  value === 0 || value === 1 || (typeof value === 'string' && WORD.test(value));

/** Whether a comparison matches the condition of a partial index. */
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
 * The same SQL as on PostgreSQL, except for values that SQLite's plan depends on: given as parameters, they would make
 * SQLite compile the statement each time, which takes longer than most answers.
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
