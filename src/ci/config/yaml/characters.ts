/** Character codes by name. Scanned texts end with NUL, which YAML cannot contain. */
export const NUL = 0;
export const TAB = 9;
export const LF = 10;
export const CR = 13;
export const SPACE = 32;

export const isBreak = (code: number): boolean =>
  code === LF || code === CR || code === 0x85 || code === 0x2028 || code === 0x2029;
export const isBlank = (code: number): boolean => code === SPACE || code === TAB;
export const isBreakOrEnd = (code: number): boolean => code === NUL || isBreak(code);
/** Blank, line break or end, which terminate an indicator. */
export const isSpaceOrEnd = (code: number): boolean =>
  code <= SPACE ? code === SPACE || code === TAB || isBreakOrEnd(code) : code >= 0x85 && isBreak(code);

/** Letters, digits, `-` and `_`, for names of anchors and directives. */
export const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 45 || code === 95;

/** Characters that are flow indicators: `,[]{}`. */
export const isFlowIndicator = (code: number): boolean =>
  code === 44 || code === 91 || code === 93 || code === 123 || code === 125;
