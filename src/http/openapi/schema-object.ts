/** A JSON Schema in the document. */
export interface SchemaObject {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, SchemaObject>;
  items?: SchemaObject;
}
