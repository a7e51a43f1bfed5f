/** Which milestones a release is of. */
export interface MilestoneReleasesTable {
  release_id: number;
  milestone_id: number;
}
