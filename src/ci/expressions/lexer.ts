/** An error in an expression of `if`, `only:variables` or `except:variables`. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

export type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||';

export type Token =
  | { kind: 'operator'; operator: Operator }
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'variable'; name: string }
  | { kind: 'text'; text: string }
  | { kind: 'null' }
  | { kind: 'pattern'; source: string; flags: string };

/** Exclusive limit of tokens in an expression. */
const MAX_TOKENS = 100;

/** All kinds of tokens at the current position; their beginnings are distinct. */
const TOKEN =
  /\s+|(?<operator>==|!=|=~|!~|&&|\|\|)|(?<open>\()|(?<close>\))|\$(?<name>\w+)|"(?<double>[^"\n]*)"|'(?<single>[^'\n]*)'|(?<empty>null)|(?<flag>true|false)|\/(?<source>(?:[^/\\\n]|\\[^\n])+)\/(?<flags>[ismU]*)/y;

function tokenOf(groups: Record<string, string | undefined>): Token | null {
  const { operator, open, close, name, double, single, empty, flag, source, flags } = groups;
  if (operator !== undefined) return { kind: 'operator', operator: operator as Operator };
  if (open !== undefined) return { kind: 'open' };
  if (close !== undefined) return { kind: 'close' };
  if (name !== undefined) return { kind: 'variable', name };
  if (source !== undefined) return { kind: 'pattern', source, flags: flags! };
  if (empty !== undefined) return { kind: 'null' };
  const text = double ?? single ?? flag;
  return text === undefined ? null : { kind: 'text', text };
}

/**
 * Splits an expression into tokens.
 * @throws ExpressionError for an unknown token, and for too many
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) throw new ExpressionError('Unknown lexeme found!');
    const token = tokenOf(match.groups!);
    if (token === null) continue;
    tokens.push(token);
    if (tokens.length >= MAX_TOKENS) throw new ExpressionError('Too many tokens!');
  }
  return tokens;
}
