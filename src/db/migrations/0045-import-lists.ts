// Imports of archives are in no list: what these show is found by its own indexes.
export const importLists = `
create index bulk_imports_listed on bulk_imports (id) where source_url <> '';
create index bulk_imports_status on bulk_imports (status, id) where source_url <> '';
create index bulk_import_entities_listed on bulk_import_entities (id) where source_full_path <> '';
create index bulk_import_entities_status on bulk_import_entities (status, id) where source_full_path <> '';
`;
