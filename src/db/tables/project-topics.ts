export interface ProjectTopicsTable {
  project_id: number;
  topic_id: number;
}
