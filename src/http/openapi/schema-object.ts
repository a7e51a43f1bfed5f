/** A JSON Schema as the document holds it. */
export interface SchemaObject {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, SchemaObject>;
  items?: SchemaObject;
}
