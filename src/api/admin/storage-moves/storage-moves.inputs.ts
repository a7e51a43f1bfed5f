import { Type } from 'typebox';

const destination_storage_name = Type.Optional(
  Type.String({
    description: 'Name of the destination storage; by default chosen by the weights of the other storages.',
  }),
);

/** Input to schedule one move. */
export const ScheduleInput = Type.Object({ destination_storage_name });

/** Input to schedule moves of everything on a storage. */
export const ScheduleAllInput = Type.Object({ source_storage_name: Type.String(), destination_storage_name });
