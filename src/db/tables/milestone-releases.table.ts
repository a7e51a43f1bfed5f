/** Milestones of releases. */
export interface MilestoneReleasesTable {
  release_id: number;
  milestone_id: number;
}
