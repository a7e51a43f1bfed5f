import type { Mark } from './yaml-error.ts';

/** `value` is the content of a scalar, anchor, alias or tag. */
export interface Token {
  type:
    | 'stream-end'
    | 'directive'
    | 'document-start'
    | 'document-end'
    | 'sequence-start'
    | 'mapping-start'
    | 'block-end'
    | 'flow-sequence-start'
    | 'flow-sequence-end'
    | 'flow-mapping-start'
    | 'flow-mapping-end'
    | 'flow-entry'
    | 'entry'
    | 'key'
    | 'value'
    | 'alias'
    | 'anchor'
    | 'tag'
    | 'scalar';
  start: Mark;
  value: string;
  /** Whether a scalar is neither quoted nor a block. */
  plain: boolean;
}
