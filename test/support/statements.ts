/**
 * Whether a statement belongs to the call that is measured: bounds of transactions do not count, nor what is read of the installation once a
 * second, or every five, whatever is called.
 */
export const isOfTheCall = (sql: string): boolean =>
  !/^\s*(begin|commit|rollback|savepoint|release)\b/i.test(sql) &&
  !/from "(plan_limits|broadcast_messages|instance_values|web_hooks|integrations)"/.test(sql);
