export interface LabelPrioritiesTable {
  label_id: number;
  project_id: number;
  priority: number;
}
