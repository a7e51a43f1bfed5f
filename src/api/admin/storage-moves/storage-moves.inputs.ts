import { Type } from 'typebox';

const destination_storage_name = Type.Optional(
  Type.String({ description: 'Where to; drawn by the weights of the other storages when absent.' }),
);

/** One move. */
export const ScheduleInput = Type.Object({ destination_storage_name });

/** Moves of all that is on a storage. */
export const ScheduleAllInput = Type.Object({ source_storage_name: Type.String(), destination_storage_name });
