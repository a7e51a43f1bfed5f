import { openStored, type StoredSecret, sealStored } from '../../core/stored-secret.ts';
import type { Deps } from '../../deps.ts';

/** Tables with variables. */
type Table = 'ci_variables' | 'ci_job_variables' | 'ci_pipeline_variables' | 'ci_pipeline_schedule_variables';

type Box = Pick<Deps, 'secrets'>;

/** Encrypts the value of a variable for its table. */
export const sealedValue = <T extends Table>({ secrets }: Box, table: T, value: string): StoredSecret<`${T}.value`> =>
  sealStored<`${T}.value`>(secrets, value, `${table}.value`);

/** A row with its value decrypted; empty if it cannot be decrypted, as after the loss of the installation's key. */
export const openedVariable = <T extends Table, Row extends { value: StoredSecret<`${T}.value`> }>(
  { secrets }: Box,
  table: T,
  row: Row,
): Omit<Row, 'value'> & { value: string } => ({
  ...row,
  value: openStored<`${T}.value`>(secrets, row.value, `${table}.value`) ?? '',
});
