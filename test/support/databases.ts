import { randomBytes } from 'node:crypto';

export interface TestDatabase {
  /** Address for STITHY_DATABASE_URL; null means SQLite in the data folder. */
  url: string | null;
  drop(): Promise<void>;
}

/** A database for one test app: nothing to do for SQLite, a new one on the server of STITHY_TEST_POSTGRES. */
export const freshDatabase = (): Promise<TestDatabase> => create(process.env.STITHY_TEST_TEMPLATE ?? 'template1');

/** The same without any table, as before a first start. */
export const emptyDatabase = (): Promise<TestDatabase> => create('template1');

async function create(template: string): Promise<TestDatabase> {
  const server = process.env.STITHY_TEST_POSTGRES;
  if (server === undefined || server === '') return { url: null, drop: async () => {} };
  const name = `stithy_${randomBytes(8).toString('hex')}`;
  await administer(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `drop database if exists ${name} with (force)`) };
}

async function administer(server: string, statement: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
