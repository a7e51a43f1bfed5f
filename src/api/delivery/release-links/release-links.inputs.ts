import { type Static, Type } from 'typebox';
import { LINK_TYPES } from '../../../db/tables/release-links.table.ts';
import { Enum, Nullable, optional, pagination } from '../../../http/http.schema.ts';

const name = Type.String({ description: 'Name of the asset; unique within the release.' });
const url = Type.String({ description: 'Its address: http, https or ftp; unique within the release.' });
const path = Type.String({
  description: 'Path of its permanent address, with a slash in front; unique within the release.',
  examples: ['/bin/app-linux'],
});
const others = {
  direct_asset_path: Type.Optional(Nullable(path)),
  filepath: Type.Optional(
    Nullable(Type.String({ description: 'Old name of `direct_asset_path`.', examples: ['/bin/app-linux'] })),
  ),
  link_type: Type.Optional(Enum(LINK_TYPES, { default: 'other', description: 'What it is.' })),
};

export const newLink = Type.Object({ name, url, ...others });
export type NewLink = Static<typeof newLink>;

export const changedLink = optional({ name, url, ...others });
export type ChangedLink = Static<typeof changedLink>;

export const listLinks = Type.Object(pagination);
export const LinkId = Type.Object({ link_id: Type.Integer() });
