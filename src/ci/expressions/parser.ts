import { EntryCache } from '../../core/cache/index.ts';
import { compilePattern, type Pattern } from './expressions.pattern.ts';
import { ExpressionError, type Operator, type Token, tokenize } from './lexer.ts';

/** A parsed expression as plain data, except for patterns. */
export type Expression =
  | { kind: 'variable'; name: string }
  | { kind: 'text'; text: string }
  | { kind: 'null' }
  | { kind: 'pattern'; pattern: Pattern }
  | { kind: 'operation'; operator: Operator; left: Expression; right: Expression };

/** Higher numbers bind tighter. */
const PRECEDENCE: Record<Operator, number> = { '||': 1, '&&': 2, '==': 3, '!=': 3, '=~': 3, '!~': 3 };

const cache = new EntryCache<string, Expression>('ci_expressions', {
  sizeCalculation: (_, text) => text.length + 1,
});

/**
 * Parses an expression of `rules:if` (`$NAME`, strings, `/patterns/`, `null`; `==` `!=` `=~` `!~`, `&&`, `||`,
 * parentheses).
 * @throws ExpressionError if it is invalid
 */
export function parseExpression(text: string): Expression {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parser = new Parser(tokenize(text));
  const expression = parser.operation(0);
  parser.end();
  cache.set(text, expression);
  return expression;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Parses an operand and the operations that bind tighter than `precedence`, left-associative. */
  operation(precedence: number): Expression {
    let left = this.#operand();
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'operator' || PRECEDENCE[token.operator] <= precedence) return left;
      this.#at += 1;
      const right = this.operation(PRECEDENCE[token.operator]);
      left = { kind: 'operation', operator: token.operator, left, right };
    }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new ExpressionError('There are too many operands!');
  }

  #operand(): Expression {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    switch (token?.kind) {
      case 'variable':
      case 'text':
      case 'null':
        return token;
      case 'pattern': {
        const pattern = compilePattern(token.source, token.flags);
        if (pattern === null) throw new ExpressionError('Invalid regular expression!');
        return { kind: 'pattern', pattern };
      }
      case 'open': {
        const inside = this.operation(0);
        if (this.#tokens[this.#at]?.kind !== 'close') throw new ExpressionError('Unmatched parenthesis!');
        this.#at += 1;
        return inside;
      }
      default:
        throw new ExpressionError('An operand is missing!');
    }
  }
}
